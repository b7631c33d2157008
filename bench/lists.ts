import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from './target.js';

/** A list that a bench reads, and the pause before each reading, ms: longer than an answer is kept. */
export interface List {
  readonly name: string;
  readonly path: string;
  readonly pauseMs: number;
}

/** Reads a list of two services in turns. Returns the times of each, ms, without those of the first round, which compiles. */
export async function timesOfList(
  targets: readonly Target[],
  { path, pauseMs }: List,
  rounds: number,
): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    await pause(pauseMs);
    for (const [i, { url }] of targets.entries()) {
      const begun = performance.now();
      const response = await fetch(url + path);
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      if (round > 0) times[i]!.push(performance.now() - begun);
    }
  }
  return times;
}
