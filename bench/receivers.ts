import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Caller } from './caller.js';

/** A receiver of webhooks in this process. */
export interface Receiver {
  readonly url: string;
  stop(): Promise<void>;
}

/** A receiver that answers 200 at once. */
export interface TimedReceiver extends Receiver {
  /** Resolves with the time from the call of `send` to the next request at a path, ms. */
  timed(path: string, send: () => Promise<void>): Promise<number>;
  /** Returns the times of all further requests at a path, which are added as they arrive. */
  collect(path: string): readonly number[];
}

/** Starts a receiver. `answer` is called once a request is complete. */
export async function startReceiver(
  answer: (path: string, response: http.ServerResponse) => void,
): Promise<Receiver> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => answer(request.url ?? '', response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export async function startTimedReceiver(): Promise<TimedReceiver> {
  const waiting = new Map<string, () => void>();
  const receiver = await startReceiver((path, response) => {
    response.end();
    waiting.get(path)?.();
  });
  return {
    ...receiver,
    async timed(path, send) {
      const begun = performance.now();
      const arrived = new Promise<number>((resolve) =>
        waiting.set(path, () => resolve(performance.now() - begun)),
      );
      await send();
      return arrived;
    },
    collect(path) {
      const times: number[] = [];
      waiting.set(path, () => times.push(performance.now()));
      return times;
    },
  };
}

/** Sends a measurement of cpu. `server`: the path of operation 1. */
export async function sendCpu(call: Caller, server: string, cpu: number): Promise<void> {
  const attributes = [{ name: 'cpuLoadPct', type: 'string', value: String(cpu) }];
  const contextElement = { type: 'host', isPattern: 'false', id: 'any', attributes };
  const statusCode = { code: '200', reasonPhrase: 'OK' };
  await call('POST', server, { contextResponses: [{ contextElement, statusCode }] });
}
