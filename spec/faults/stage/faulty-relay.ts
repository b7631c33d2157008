import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listenReserved } from '../../servers/ports.js';

/** A relay in front of a server, with the faults of a network. */
export interface FaultyRelay {
  readonly port: number;
  /** Delays all data, in both directions, by so many ms. */
  delay(ms: number): void;
  /** Resets all connections, and each new one. */
  cut(): void;
  /** Loses all data without a word. Connections of this time stay silent for good. */
  silence(): void;
  /** Resets the connections of the next answers, in the middle of each answer. */
  resetAnswers(count: number): void;
  /** Ends the fault. */
  heal(): void;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly remote: Socket;
  silent: boolean;
}

/** Starts a relay to a server on a free port of the loopback address. */
export async function faultyRelay(target: {
  readonly host: string;
  readonly port: number;
}): Promise<FaultyRelay> {
  const links = new Set<Link>();
  let mode: 'through' | 'cut' | 'silent' = 'through';
  let delayMs = 0;
  let resets = 0;

  const reset = ({ client, remote }: Link): void => {
    client.resetAndDestroy();
    remote.destroy();
  };
  const forward = (link: Link, from: Socket, to: Socket): void => {
    let queue: Promise<unknown> | undefined;
    const pass = (data: Buffer): void => {
      if (link.silent || to.destroyed) return;
      if (from === link.remote && resets > 0) {
        resets -= 1;
        to.write(data.subarray(0, data.length >> 1), () => reset(link));
        // What follows is lost.
        link.silent = true;
      } else to.write(data);
    };
    from.on('data', (data: Buffer) => {
      if (delayMs === 0 && queue === undefined) return pass(data);
      const at = performance.now() + delayMs;
      const next: Promise<void> = (queue ?? Promise.resolve())
        .then(() => pause(Math.max(0, at - performance.now())))
        .then(() => {
          if (queue === next) queue = undefined;
          pass(data);
        });
      queue = next;
    });
  };

  const server = createServer((client) => {
    if (mode === 'cut') {
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const remote = createConnection(target);
    const link: Link = { client, remote, silent: mode === 'silent' };
    links.add(link);
    for (const socket of [client, remote]) {
      socket
        .on('error', () => undefined)
        .once('close', () => {
          // The end of a connection is lost, too.
          if (link.silent && socket === remote) return;
          links.delete(link);
          client.destroy();
          remote.destroy();
        });
    }
    forward(link, client, remote);
    forward(link, remote, client);
  });
  return {
    port: await listenReserved(server),
    delay(ms) {
      delayMs = ms;
    },
    cut() {
      mode = 'cut';
      for (const link of links) reset(link);
    },
    silence() {
      mode = 'silent';
      for (const link of links) link.silent = true;
    },
    resetAnswers(count) {
      resets = count;
    },
    heal() {
      mode = 'through';
      delayMs = 0;
      resets = 0;
    },
    close() {
      for (const { client, remote } of links) {
        client.destroy();
        remote.destroy();
      }
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
