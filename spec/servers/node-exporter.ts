import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort } from '../../src/system/free-port.js';

/** A running node exporter (Debian package `prometheus-node-exporter`). */
export interface NodeExporter {
  /** Host and port. */
  readonly host: string;
  stop(): Promise<void>;
}

const PROGRAM = 'prometheus-node-exporter';

/**
 * Adds a hook to a `describe`: its specs are skipped, visibly, without the program; with CI=true they fail. Returns the
 * function that starts it.
 */
export function specNodeExporter(): () => Promise<NodeExporter> {
  before(function () {
    const folders = (process.env['PATH'] ?? '').split(delimiter);
    if (folders.some((folder) => existsSync(join(folder, PROGRAM)))) return;
    const missing = `no ${PROGRAM}: apt-get install ${PROGRAM}`;
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping specs: ${missing}`);
    this.skip();
  });
  return async () => {
    const host = `127.0.0.1:${await freePort()}`;
    const child = spawn(PROGRAM, [`--web.listen-address=${host}`], { stdio: 'ignore' });
    return {
      host,
      async stop() {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      },
    };
  };
}
