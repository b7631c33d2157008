import { spawn } from 'node:child_process';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { skipWithout } from './deploy-tools.js';
import { accepts, reservedPort } from './ports.js';
import { endedUnless, endProcess, isOnPath } from './programs.js';

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
  return start;
}

async function start(): Promise<NodeExporter> {
  const port = await reservedPort();
  const host = `127.0.0.1:${port}`;
  const child = spawn(PROGRAM, [`--web.listen-address=${host}`], { stdio: 'ignore' });
  const isUp = async (): Promise<true | undefined> => {
    if (child.exitCode !== null) throw new Error(`${PROGRAM} ended`);
    return (await accepts(port)) || undefined;
  };
  await endedUnless(
    child,
    eventually(isUp, SOON_MS, () => `${PROGRAM} does not listen`),
  );
  return { host, stop: () => endProcess(child) };
}
