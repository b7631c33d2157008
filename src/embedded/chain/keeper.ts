/**
 * A process between the service and the chain's node, so that the node never outlives the service, however that ends:
 * it ends the node when its own input does. It starts the node again when that dies by itself, and keeps its state: what
 * the node writes itself may be half a file after a kill.
 *
 * Takes `KeeperOrders` as its argument. Prints lines: `ready` and the node's process id, `log` and a text, and
 * `failed` and a reason before it gives up.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type AskNode, type Dump, dumpOfOneBlock, newestBlock } from './dump.js';
import { type ChainProcess, type ChainProcessOptions, startChainProcess } from './process.js';
import { askChainNode } from './rpc.js';
import { endStaleChainProcess, noteChainProcess } from './stale.js';
import { chainState } from './state.js';

/** What the keeper is told at its start. */
export type KeeperOrders = ChainProcessOptions;

/** How often the node is asked whether there is something to save, ms. */
const SAVE_EVERY_MS = 200;
/** A save that takes long is not repeated before so many times that long: no block is made meanwhile. */
const SAVE_SHARE = 50;
/** How long a save may take: of a large chain it is seconds. */
const SAVE_TIMEOUT_MS = 60_000;
/** How long the last one may take. */
const LAST_SAVE_MS = 5_000;
/** A node that dies so soon after its start, ms, so many times in a row, is given up. */
const SOON_MS = 2_000;
const ATTEMPTS = 5;
const AGAIN_MS = 200;

// What the node writes is for this user alone, as everything in the data folder.
process.umask(0o077);
const orders = JSON.parse(process.argv[2]!) as KeeperOrders;
const state = chainState(orders.folder);
const stopping = new AbortController();
const killing = new AbortController();
let node: ChainProcess | undefined;
let saved: unknown;
let saving: Promise<void> = Promise.resolve();
let lastWords = '';

function say(word: 'ready' | 'log' | 'failed', text: string): void {
  process.stdout.write(`${word} ${text.replaceAll(/\s+/g, ' ')}\n`);
}

/** Starts the node from the newest state that it can read. */
async function start(): Promise<ChainProcess> {
  const [file] = state.candidates();
  try {
    return await startChainProcess(orders, file, killing.signal);
  } catch (error) {
    const { message } = error as Error;
    if (file === undefined || !message.includes('--load-state')) throw error;
    say('log', `the chain's state is put aside as ${await state.setAside(file)}: ${message}`);
    return start();
  }
}

/** Saves the state where the newest block is another than at the last time. After the `last` one no block is made. */
async function save(timeoutMs: number, { last = false } = {}): Promise<void> {
  const ask: AskNode = (method, params) => askChainNode(orders.port, method, params, timeoutMs);
  if (!last && (await newestBlock(ask)) === saved) return;
  // Not where somebody makes them by hand, or has them made every few seconds.
  const makesBlocks = (await ask('anvil_getAutomine', [])) === true;
  let dump: Dump;
  try {
    if (makesBlocks) await ask('anvil_setAutomine', [false]);
    if ((await newestBlock(ask)) === saved) return;
    dump = await dumpOfOneBlock(ask);
  } finally {
    if (makesBlocks && !last) await goOn();
  }
  await state.save(dump.state);
  saved = dump.block;
}

/** Has the node make blocks again, however often it must be told: it would make none for ever. */
async function goOn(): Promise<void> {
  while (node?.isRunning()) {
    try {
      await askChainNode(orders.port, 'anvil_setAutomine', [true], SAVE_TIMEOUT_MS);
      return;
    } catch {
      await rest(AGAIN_MS);
    }
  }
}

async function saveAgainAndAgain(): Promise<void> {
  while (!stopping.signal.aborted) {
    const before = performance.now();
    saving = save(SAVE_TIMEOUT_MS).catch((error: unknown) => {
      // A node that is on its way out, or back, is nothing to talk about.
      if (node?.isRunning()) say('log', `the chain's state was not saved: ${(error as Error).message}`);
    });
    await saving;
    await rest(Math.max(SAVE_EVERY_MS, (performance.now() - before) * SAVE_SHARE));
  }
}

/** Runs the node until it ends. */
async function runOnce(): Promise<void> {
  try {
    node = await start();
    noteChainProcess(orders.folder, node.pid);
    // Whatever is seen of a chain is there after a restart as well, its first block to begin with.
    if (saved === undefined) {
      await save(SAVE_TIMEOUT_MS);
      void saveAgainAndAgain();
    }
    say('ready', String(node.pid));
    lastWords = await node.ended;
  } catch (error) {
    lastWords = (error as Error).message;
  }
}

async function keepRunning(): Promise<void> {
  for (let soon = 0; soon < ATTEMPTS;) {
    const before = performance.now();
    await runOnce();
    if (stopping.signal.aborted) return;
    soon = performance.now() - before < SOON_MS ? soon + 1 : 0;
    say('log', `the chain's node ended and is started again: ${lastWords}`);
    await rest(AGAIN_MS);
  }
  say('failed', lastWords);
  process.exitCode = 1;
  process.stdin.destroy();
}

async function rest(ms: number): Promise<void> {
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

// The service is gone: nobody reads this any more.
process.stdout.on('error', () => undefined);
process.stdin.resume().once('close', () => void stop());
process.once('SIGTERM', () => void stop());

await endStaleChainProcess(orders.folder);
await keepRunning();
