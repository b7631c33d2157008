import type { ServerResponse } from 'node:http';
import { Refusal } from '../errors.js';

/** When requests are turned away. */
export interface ShedOptions {
  /** Requests worked on at the same time. */
  readonly maxInFlight: number;
  /** Paths that are always served and never counted: who watches the service must still reach it. */
  readonly exempt: readonly string[];
}

/** Lets a request in and returns what is to be called when it is worked off; throws `Refusal('unavailable')`. */
export type Admission = (path: string, res: ServerResponse) => () => void;

const uncounted = (): void => {};

/**
 * Refuses at once what comes while as many requests as allowed are in flight. One is in flight until it is worked off
 * and its answer is read: an answer that nobody reads holds memory, and so does the work for a client that has gone.
 */
export function shed({ maxInFlight, exempt }: ShedOptions): Admission {
  let inFlight = 0;
  return (path, res) => {
    if (exempt.includes(path)) return uncounted;
    if (inFlight >= maxInFlight) {
      throw new Refusal(
        'unavailable',
        'too many requests at the same time; nothing was done, try again in a second',
      );
    }
    inFlight += 1;
    let holds = 2;
    const release = (): void => {
      holds -= 1;
      if (holds === 0) inFlight -= 1;
    };
    res.once('close', release);
    return release;
  };
}
