import { spawn } from 'node:child_process';
import { freePort } from '../../src/system/free-port.js';
import { skipWithout } from './deploy-tools.js';
import { endProcess, isOnPath } from './programs.js';

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
    if (!isOnPath(PROGRAM)) skipWithout(this, `no ${PROGRAM}: apt-get install ${PROGRAM}`);
  });
  return async () => {
    const host = `127.0.0.1:${await freePort()}`;
    const child = spawn(PROGRAM, [`--web.listen-address=${host}`], { stdio: 'ignore' });
    return { host, stop: () => endProcess(child) };
  };
}
