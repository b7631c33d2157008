import { setTimeout as pause } from 'node:timers/promises';
import type { Operation, ServerBook } from './books.js';
import { ask, hotServer, sendFact, type World } from './clients.js';
import type { FlakyReceiver } from './flaky-receiver.js';

/** A node may show a rule as it was so long ago, ms: a change reaches the other nodes within a second. */
const SHOWN_LATE_MS = 1_000;

/** Longest pause of a client between two operations, ms. */
const THINKING_MS = 40;

/** Runs a client until the world stops. It sends facts, renames the rules of servers, and reads both. */
export async function observer(world: World): Promise<void> {
  while (world.running) {
    const dice = world.random();
    const serverId = hotServer(world);
    const book = world.books.servers.get(serverId)!;
    const path = `/v1.0/demo/servers/${serverId}/rules/${[...book.rules][0]!}`;
    if (dice < 0.6) await sendFact(world, serverId);
    else if (dice < 0.7) await rename(world, book, path);
    else if (dice < 0.85) await readLastFact(world, book, path);
    else await readName(world, book, path);
    await pause(world.random() * THINKING_MS);
  }
}

async function rename(world: World, { history }: ServerBook, path: string): Promise<void> {
  const name = `name ${(world.made += 1)}`;
  const call = performance.now();
  const { answer, unknown } = await ask(world, 'PUT', path, { name });
  if (answer !== undefined) history.push({ kind: 'rename', call, return: performance.now(), name });
  else if (unknown) history.push({ kind: 'rename', call, return: undefined, name });
}

/** An explanation is never older than an answer of any node. */
async function readLastFact(world: World, { history }: ServerBook, path: string): Promise<void> {
  const call = performance.now();
  const { answer } = await ask(world, 'GET', `${path}/explain`);
  if (answer === undefined) return;
  const { lastFact } = answer.body as unknown as { lastFact: { id: number } | null };
  history.push({ kind: 'explain', call, return: performance.now(), number: lastFact?.id ?? 0 });
}

async function readName(world: World, { history }: ServerBook, path: string): Promise<void> {
  const call = performance.now() - SHOWN_LATE_MS;
  const { answer } = await ask(world, 'GET', path);
  if (answer !== undefined)
    history.push({ kind: 'rule', call, return: performance.now(), name: String(answer.body['name']) });
}

/**
 * Returns the operations on a server that took effect. What became of those with an unknown outcome shows in the webhooks of
 * the facts, and in the names that were read: a name that nobody read is as good as never given.
 */
export function effectiveHistory(
  { history, firing }: ServerBook,
  receiver: FlakyReceiver,
): readonly Operation[] {
  const numbers = receiver.numbersOf(firing[0]!);
  const seen = new Set(history.flatMap(({ kind, name }) => (kind === 'rule' ? [name] : [])));
  return history.flatMap((operation) => {
    const { kind, value, name } = operation;
    if (operation.return !== undefined) return [operation];
    if (kind === 'rename') return seen.has(name) ? [operation] : [];
    return (numbers.get(value!) ?? []).map((number) => ({ ...operation, number }));
  });
}
