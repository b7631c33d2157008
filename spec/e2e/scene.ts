import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Got, type Receiver, startReceiver } from '../delivery/senders/receiver.js';
import { apiClient, type ApiClient } from './api-client.js';
import { type RunningService, runService } from './running-service.js';

/** A service and a client of its first tenant. */
export interface Scene extends RunningService {
  readonly api: ApiClient;
}

/** Opens the parts that the specs of a `describe` need. Closes them after each spec, or after the last. */
export interface Scenes {
  /** Starts a service. Its client has a token of the demo tenant, which is still unknown. `now`: the clock of its actors. */
  service(settings?: Readonly<Record<string, string>>, now?: () => number): Promise<Scene>;
  /** Starts a webhook receiver. It answers 200 unless given otherwise, on a free port unless given one. */
  receiver(answer?: (response: ServerResponse, got: Got) => void, port?: number): Promise<Receiver>;
  /** Makes a data folder for several services in succession. */
  folder(): Promise<string>;
  /** Registers something to close. */
  keep<T>(part: T, close: (part: T) => Promise<unknown>): T;
}

/** Makes the scenes of a `describe`. With `describe` its parts stay open for all its specs, which must leave them as they were. */
export function scenes(lifetime: 'spec' | 'describe' = 'spec'): Scenes {
  const closing: (() => Promise<unknown>)[] = [];
  const keep: Scenes['keep'] = (part, close) => {
    closing.push(() => close(part));
    return part;
  };
  const closeAll = async (): Promise<void> => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  if (lifetime === 'spec') afterEach(closeAll);
  // Mocha leaves out the hooks behind one that fails, and what stays open would fail the next files too.
  after(closeAll);
  return {
    keep,
    async service(settings, now) {
      const running = await runService(settings, now);
      let closed: Promise<void> | undefined;
      const close = (): Promise<void> => (closed ??= running.close());
      keep(running, close);
      return { ...running, close, api: await apiClient(running.url) };
    },
    async receiver(answer = (response) => response.end(), port) {
      const receiver = await startReceiver(answer, { ...(port !== undefined && { port }) });
      let stopped: Promise<void> | undefined;
      const stop = (): Promise<void> => (stopped ??= receiver.stop());
      return keep({ ...receiver, stop }, stop);
    },
    folder: async () =>
      keep(await mkdtemp(join(tmpdir(), 'mirzam-e2e-')), (folder) =>
        rm(folder, { recursive: true, force: true }),
      ),
  };
}
