import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { skipWithout } from './deploy-tools.js';
import { accepts, reservedPort } from './ports.js';
import { endedUnless, endProcess } from './programs.js';

/** MOSQUITTO names another binary. Debian's is in a folder that not every PATH has. */
const BINARY = process.env['MOSQUITTO'] ?? '/usr/sbin/mosquitto';
const PASSWD = process.env['MOSQUITTO_PASSWD'] ?? 'mosquitto_passwd';

/** A user of a broker. */
export interface MosquittoUser {
  readonly name: string;
  readonly password: string;
}

/** A Mosquitto on the loopback address, which keeps its sessions over restarts. */
export interface Mosquitto {
  readonly port: number;
  /** Its address, with a user if one is named, or with its own one. */
  url(user?: MosquittoUser): string;
  /** Ends it as a service manager does. Its sessions are kept. */
  stop(): Promise<void>;
  /** Starts it again after `stop`, at the same port. */
  start(): Promise<void>;
  /** Ends it for good, and removes its folder. */
  close(): Promise<void>;
}

/** What a Mosquitto is started with. */
export interface MosquittoOptions {
  /** Without users it has one of its own: a client of a broker that had the port before is not let in. */
  readonly users?: readonly MosquittoUser[];
  /** Text of its access list, which needs users. */
  readonly acl?: string;
  /** Further lines of its configuration. */
  readonly lines?: readonly string[];
}

/**
 * Adds a hook to a `describe`: its specs are skipped, visibly, without Mosquitto; with CI=true they fail. Returns the function
 * that starts one.
 */
export function specMosquitto(): (options?: MosquittoOptions) => Promise<Mosquitto> {
  before(function () {
    if (spawnSync(BINARY, ['-h']).error !== undefined)
      skipWithout(this, `no ${BINARY}: apt-get install mosquitto`);
  });
  return startMosquitto;
}

async function startMosquitto({ users: given, acl, lines = [] }: MosquittoOptions = {}): Promise<Mosquitto> {
  const folder = await mkdtemp(join(tmpdir(), 'mosquitto-'));
  const port = await reservedPort();
  const own: MosquittoUser = { name: 'spec', password: randomUUID() };
  const users = given ?? [own];
  const inFolder = (name: string): string => join(folder, name);
  const access = [
    'allow_anonymous false',
    `password_file ${inFolder('users')}`,
    ...(acl === undefined ? [] : [`acl_file ${inFolder('acl')}`]),
  ];
  const stored = ['persistence true', `persistence_location ${folder}/`, 'autosave_interval 1'];
  // Started by root it would become a user who cannot write its folder.
  const user = `user ${userInfo().username}`;
  const config = [
    `listener ${port} 127.0.0.1`,
    user,
    ...access,
    ...stored,
    'max_queued_messages 0',
    ...lines,
  ];
  await writeFile(inFolder('mosquitto.conf'), `${config.join('\n')}\n`);
  if (acl !== undefined) await writeFile(inFolder('acl'), acl, { mode: 0o600 });
  await writeFile(inFolder('users'), '', { mode: 0o600 });
  for (const { name, password } of users) {
    const { status, stderr } = spawnSync(PASSWD, ['-b', inFolder('users'), name, password], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${PASSWD} failed: ${stderr}`);
  }
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(BINARY, ['-c', inFolder('mosquitto.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const isUp = async (): Promise<true | undefined> => {
      if (child.exitCode !== null) throw new Error(`mosquitto ended: ${log}`);
      return (await accepts(port)) || undefined;
    };
    await endedUnless(
      child,
      eventually(isUp, SOON_MS, () => `mosquitto does not listen: ${log}`),
    );
  };
  const stop = (): Promise<void> => endProcess(child);
  await start();
  return {
    port,
    url: (user = given === undefined ? own : undefined) =>
      `mqtt://${user === undefined ? '' : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`}127.0.0.1:${port}`,
    stop,
    start,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A client that publishes. */
export interface Publisher {
  /** Publishes JSON, or a text, with QoS 1. Resolves once the broker has acknowledged it. */
  publish(topic: string, payload: unknown, options?: { readonly retain?: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Connects a publisher. It connects again if the broker restarts, and publishes what was not acknowledged again. */
export async function publisher(url: string): Promise<Publisher> {
  const client = await connectAsync(url, { protocolVersion: 5, reconnectPeriod: 50 });
  client.on('error', () => undefined);
  return {
    async publish(topic, payload, { retain = false } = {}) {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      await client.publishAsync(topic, text, { qos: 1, retain });
    },
    close: () => client.endAsync(true),
  };
}
