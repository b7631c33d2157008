import { contextIn } from '../src/actors/behavior.js';
import type { ServerContext } from '../src/policy/server/server-context.js';
import { placeOf } from '../src/policy/server/server-place.js';
import { actorId, type Commit, type Listed, type Store } from '../src/store/port.js';
import { openStore } from '../src/store/select.js';
import { callerOf } from './caller.js';
import { startMirzam } from './target.js';

/** Servers that fire, and that are pending: as many in stores of all sizes. The rest is calm. */
const SHARE = { firing: 50, pending: 100 };
/** Documents in one commit: a server that others share has little time for each. */
const AT_ONCE = { shared: 500, own: 5_000 };

/**
 * Writes servers of the demo tenant directly to a store: `server-0`, `server-1` and so on. Of the calm ones every second has a
 * rule of its own, which wakes it a day later, and the others have a rule of the tenant. A service that runs for a moment makes one server of each kind, and the
 * others are copies. `settings`: those of the service, which name the store. Resolves with the duration, s.
 */
export async function seedServers(
  size: number,
  settings: { readonly DATA_DIR: string; readonly MONGODB_URL?: string },
): Promise<number> {
  const first = await startMirzam('mirzam', settings);
  try {
    await makeExamples(first.url);
  } finally {
    await first.stop();
  }
  const store = await openStore({ folder: settings.DATA_DIR, mongodbUrl: settings.MONGODB_URL });
  const begun = performance.now();
  try {
    await copyExamples(store, size);
  } finally {
    await store.close();
  }
  return (performance.now() - begun) / 1_000;
}

const EXAMPLES = [
  { name: 'firing', isOwn: false, options: { repeat: 0 } },
  { name: 'pending', isOwn: false, options: { for: 86_400 } },
  { name: 'calm', isOwn: false, options: { repeat: 0 } },
  { name: 'own', isOwn: true, options: { noData: 86_400 } },
] as const;
type ExampleName = (typeof EXAMPLES)[number]['name'];

async function makeExamples(url: string): Promise<void> {
  const call = await callerOf(url, 'demo');
  await call('PUT', '/v1.0/demo', { windowsize: 1 });
  const condition = { cpu: { value: 99.9, operand: 'greater' } };
  const action = { actionName: 'notify-scale', operation: 'scaleUp' };
  for (const { name, isOwn, options } of EXAMPLES) {
    const rule = { name: `busy ${name}`, condition, action, labels: { severity: 'warning' }, ...options };
    const rules = isOwn ? `/v1.0/demo/servers/${name}/rules` : '/v1.0/demo/rules';
    const { ruleId } = (await call('POST', rules, rule)) as { ruleId: string };
    await call('POST', `/v1.0/demo/servers/${name}/subscription`, { ruleId, url: 'http://127.0.0.1:9/' });
    const isCalm = name === 'calm' || name === 'own';
    const attribute = { name: 'cpuLoadPct', type: 'string', value: isCalm ? '1' : '100' };
    const contextElement = { id: name, type: 'host', isPattern: 'false', attributes: [attribute] };
    const statusCode = { code: '200', reasonPhrase: 'Ok' };
    await call('POST', `/demo/servers/${name}`, { contextResponses: [{ contextElement, statusCode }] });
  }
}

interface Example extends Listed {
  readonly context: ServerContext;
}

async function copyExamples(store: Store, size: number): Promise<void> {
  const { items } = await store.list({ kind: 'server', limit: EXAMPLES.length });
  const examples = new Map(
    items.map((item): [string, Example] => {
      const context = contextIn(item) as ServerContext;
      return [context.address.name, { ...item, context }];
    }),
  );
  const atOnce = store.shared ? AT_ONCE.shared : AT_ONCE.own;
  for (let from = 0; from < size; from += atOnce) {
    const length = Math.min(atOnce, size - from);
    const commits = await Promise.all(
      Array.from({ length }, (_, i) => copyOf(store, examples.get(exampleOf(from + i))!, from + i)),
    );
    const refused = (await store.commit(commits)).find((one) => one !== 'won');
    if (refused !== undefined) throw new Error('a copy was not stored', { cause: refused });
  }
}

function exampleOf(i: number): ExampleName {
  if (i < SHARE.firing) return 'firing';
  if (i < SHARE.firing + SHARE.pending) return 'pending';
  return i % 2 === 0 ? 'calm' : 'own';
}

async function copyOf(store: Store, example: Example, i: number): Promise<Commit> {
  const { context, version, state } = example;
  const address = { ...context.address, name: `server-${i}` };
  const states = context.states.map((one) =>
    one === null || typeof one === 'string' || one.since === undefined
      ? one
      : { ...one, since: one.since - i * 1_000 },
  );
  const digits = String(i).padStart(12, '0');
  const idOf = (id: string): string => id.slice(0, -digits.length) + digits;
  const own = new Map(context.rules.map(({ ruleId }) => [ruleId, idOf(ruleId)]));
  const rules = context.rules.map((rule) => ({ ...rule, ruleId: own.get(rule.ruleId)! }));
  const subscriptions = context.subscriptions.map((one) => ({
    ...one,
    id: idOf(one.id),
    ruleId: own.get(one.ruleId) ?? one.ruleId,
  }));
  const frequent = { ...(JSON.parse(example.frequent) as object), states, outbox: [] };
  const rare = { ...(JSON.parse(example.rare) as object), address, rules, subscriptions };
  return {
    id: actorId(address),
    expected: 0,
    revision: await store.nextRevision(0),
    commitId: `copy-${i}`,
    next: {
      version,
      state,
      // That of the machine: the stored one may be the retry of an outbox entry, and the copies have none.
      wakeAt: context.wakeAt,
      frequent: JSON.stringify(frequent),
      rare: JSON.stringify(rare),
      place: placeOf({ states, rules, subscriptions }),
    },
    previous: undefined,
  };
}
