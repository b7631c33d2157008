/**
 * Process between the service and the chain's node. It stops the node when its standard input ends, so that the node
 * never outlives the service. It restarts a node that dies, and saves the node's state: a file written by the node itself
 * may be incomplete after a kill.
 *
 * Takes `KeeperOptions` as its argument. Prints lines: `ready` and the node's process id, `log` and a text, and `failed`
 * and a reason before it exits.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ChainProcess, type ChainProcessOptions, startChainProcess } from './process.js';
import { callNode, dumpAtOneBlock, newestBlock, type NodeCall } from './rpc.js';
import { killStaleChainProcess, recordChainProcess } from './stale-process.js';
import { chainState } from './state.js';

/** Options of the keeper. */
export type KeeperOptions = ChainProcessOptions;

/** Interval between two checks for a new block to save, ms. */
const SAVE_EVERY_MS = 200;
/** Least pause after a save, as a multiple of its duration: no block is mined during a save. */
const PAUSE_FACTOR = 50;
/** Time limit of a save, ms. A large chain takes seconds. */
const SAVE_TIMEOUT_MS = 60_000;
/** Time limit of the last save, ms. */
const LAST_SAVE_MS = 5_000;
/** The keeper exits after `MAX_EARLY_DEATHS` deaths in a row, each within `EARLY_MS` of the start. */
const EARLY_MS = 2_000;
const MAX_EARLY_DEATHS = 5;
/** Pause before a retry, ms. */
const RETRY_MS = 200;

// The node's files are readable by this user only, as all files of the data folder.
process.umask(0o077);
const options = JSON.parse(process.argv[2]!) as KeeperOptions;
const state = chainState(options.folder);
const stopping = new AbortController();
const killing = new AbortController();
let node: ChainProcess | undefined;
let savedBlock: unknown;
let saving: Promise<void> = Promise.resolve();
let endReason = '';

function print(word: 'ready' | 'log' | 'failed', text: string): void {
  process.stdout.write(`${word} ${text.replaceAll(/\s+/g, ' ')}\n`);
}

/** Starts the node from the newest readable state. */
async function start(): Promise<ChainProcess> {
  const [file] = state.candidates();
  try {
    return await startChainProcess(options, file, killing.signal);
  } catch (error) {
    const { message } = error as Error;
    if (file === undefined || !message.includes('--load-state')) throw error;
    print(
      'log',
      `the unreadable state of the chain is put aside as ${await state.setAside(file)}: ${message}`,
    );
    return start();
  }
}

/** Saves the state if there is a new block. After the `last` save mining stays off. */
async function save(timeoutMs: number, { last = false } = {}): Promise<void> {
  const call: NodeCall = (method, params) => callNode(options.port, method, params, timeoutMs);
  if (!last && (await newestBlock(call)) === savedBlock) return;
  // False if a client mines blocks by hand or at an interval.
  const automines = (await call('anvil_getAutomine', [])) === true;
  let dump: Awaited<ReturnType<typeof dumpAtOneBlock>>;
  try {
    if (automines) await call('anvil_setAutomine', [false]);
    if ((await newestBlock(call)) === savedBlock) return;
    dump = await dumpAtOneBlock(call);
  } finally {
    if (automines && !last) await resumeMining();
  }
  await state.save(dump.state);
  savedBlock = dump.block;
}

/** Turns mining on again. Retries while the node runs, which would otherwise never mine again. */
async function resumeMining(): Promise<void> {
  while (node?.isRunning()) {
    try {
      await callNode(options.port, 'anvil_setAutomine', [true], SAVE_TIMEOUT_MS);
      return;
    } catch {
      await sleep(RETRY_MS);
    }
  }
}

async function saveRepeatedly(): Promise<void> {
  while (!stopping.signal.aborted) {
    const before = performance.now();
    saving = save(SAVE_TIMEOUT_MS).catch((error: unknown) => {
      // A node that is stopping or starting is not worth a log line.
      if (node?.isRunning()) print('log', `the chain's state was not saved: ${(error as Error).message}`);
    });
    await saving;
    await sleep(Math.max(SAVE_EVERY_MS, (performance.now() - before) * PAUSE_FACTOR));
  }
}

/** Runs the node until it ends. */
async function runOnce(): Promise<void> {
  try {
    node = await start();
    recordChainProcess(options.folder, node.pid);
    // The first save comes before `ready`: the first block too must survive a restart.
    if (savedBlock === undefined) {
      await save(SAVE_TIMEOUT_MS);
      void saveRepeatedly();
    }
    print('ready', String(node.pid));
    endReason = await node.ended;
  } catch (error) {
    endReason = (error as Error).message;
  }
}

async function keepRunning(): Promise<void> {
  for (let earlyDeaths = 0; earlyDeaths < MAX_EARLY_DEATHS;) {
    const before = performance.now();
    await runOnce();
    if (stopping.signal.aborted) return;
    earlyDeaths = performance.now() - before < EARLY_MS ? earlyDeaths + 1 : 0;
    print('log', `the chain's node ended and is started again: ${endReason}`);
    await sleep(RETRY_MS);
  }
  print('failed', endReason);
  process.exitCode = 1;
  process.stdin.destroy();
}

async function sleep(ms: number): Promise<void> {
  await pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
}

async function stop(): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  await saving;
  if (node?.isRunning()) await save(LAST_SAVE_MS, { last: true }).catch(() => undefined);
  killing.abort();
  process.stdin.destroy();
}

// The service has ended: nothing reads this output.
process.stdout.on('error', () => undefined);
process.stdin.resume().once('close', () => void stop());
process.once('SIGTERM', () => void stop());

await killStaleChainProcess(options.folder);
await keepRunning();
