import { type ApiAnswer, request } from '../../e2e/api-client.js';
import { type Books, noteFact, serverBook } from './books.js';
import { oneOf } from './random.js';

/** State shared by the clients. */
export interface World {
  readonly books: Books;
  readonly random: () => number;
  readonly token: string;
  /** Url of the firing subscriptions. */
  readonly hook: string;
  /** Generic rule that every fact fires. */
  readonly genericRule: string;
  /** Addresses of the nodes. A restarted service has a new one. */
  urls: readonly string[];
  /** True if all requests for a server go to one node while that lives. Otherwise each goes to any node. */
  readonly hashed?: boolean;
  /** True if several nodes have answered: a change reaches the others within a second. */
  readonly severalNodes: boolean;
  running: boolean;
  /** Number of the last created fact, server or name. */
  made: number;
}

/** A rule that every fact with a value of cpu fires. */
export const ALWAYS = {
  name: 'always',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
} as const;

/** Number of servers that get facts concurrently. */
const HOT = 12;
/** Below a tenant's limit. */
const GENERIC_RULES = 500;

/** Outcome of a request: its answer if 200, else whether it may have been carried out. */
interface Outcome {
  readonly answer: ApiAnswer | undefined;
  readonly unknown: boolean;
}

/** Sends a request to one of the nodes. Records an unexpected answer in the books. */
export async function ask(world: World, method: string, path: string, body?: unknown): Promise<Outcome> {
  const startedAt = performance.now();
  let answer: ApiAnswer;
  try {
    answer = await send(world, method, path, body);
    // Includes requests to a node that is lost by now.
    while (answer.status === 404 && world.severalNodes && performance.now() - startedAt < 1_000) {
      answer = await send(world, method, path, body);
    }
  } catch {
    return { answer: undefined, unknown: true };
  }
  if (answer.status === 200) return { answer, unknown: false };
  const message = answer.body.error?.message ?? '';
  if (answer.status !== 503) world.books.surprises.push(`${method} ${path}: ${answer.status} ${answer.text}`);
  else if (!answer.headers.has('retry-after'))
    world.books.surprises.push(`503 without Retry-After: ${message}`);
  return { answer: undefined, unknown: message.includes('outcome is unknown') };
}

function send(world: World, method: string, path: string, body: unknown): Promise<ApiAnswer> {
  return request(nodeFor(world, path) + path, method, body, { 'x-auth-token': world.token });
}

/** Returns the address of the node that a request goes to. */
function nodeFor({ urls, random, hashed = false }: World, path: string): string {
  const server = /^\/v1\.0\/demo\/servers\/([^/]+)/.exec(path)?.[1];
  if (!hashed || server === undefined) return oneOf(random, urls);
  const hash = Buffer.from(server).reduce((sum, byte) => (sum * 31 + byte) >>> 0, 0);
  return urls[hash % urls.length]!;
}

/** Runs a client until the world stops. It mostly sends facts, and creates, changes and deletes rules and subscriptions. */
export async function client(world: World): Promise<void> {
  while (world.running) await act(world);
}

/** Performs one of a client's actions. */
export async function act(world: World): Promise<void> {
  const dice = world.random();
  if (dice < 0.7) await sendFact(world);
  else if (dice < 0.78) await makeGenericRule(world);
  else if (dice < 0.84) await changeRule(world);
  else if (dice < 0.9) await makeSpare(world);
  else if (dice < 0.95) await removeSpare(world);
  else await addServer(world);
}

/** Sends one fact with a unique value to one of the servers. */
export async function sendFact(world: World, serverId = hotServer(world)): Promise<void> {
  const value = (world.made += 1) / 10_000;
  const book = serverBook(world.books, serverId);
  const call = performance.now();
  const { answer, unknown } = await ask(world, 'POST', `/v1.0/demo/servers/${serverId}`, factsBody(value));
  if (answer !== undefined) {
    const number = Number(answer.body['id']);
    book.history.push({ kind: 'fact', call, return: performance.now(), number, value });
    noteFact(world.books, serverId, number, value);
  } else if (unknown) {
    book.history.push({ kind: 'fact', call, return: undefined, value });
    book.unanswered.add(value);
  }
}

/** Creates a server whose every fact fires two subscriptions: of its own rule and of a generic rule. */
export async function addServer(world: World): Promise<void> {
  const hot = [...world.books.servers.values()].filter((book) => book.firing.length > 0).length;
  if (hot >= HOT) return;
  const serverId = `server-${(world.made += 1)}`;
  const book = serverBook(world.books, serverId);
  const rule = await makeRule(world, serverId);
  const own = rule === undefined ? undefined : await subscribe(world, serverId, rule, world.hook);
  const generic = await subscribe(world, serverId, world.genericRule, world.hook);
  if (own !== undefined && generic !== undefined) book.firing.push(own, generic);
}

/** Returns the body of operation 1 with one value of cpu. */
export function factsBody(value: number): unknown {
  const attributes = [{ name: 'cpuLoadPct', type: 'string', value: String(value) }];
  const contextElement = { id: 'any', type: 'host', isPattern: 'false', attributes };
  return { contextResponses: [{ contextElement, statusCode: { code: '200', reasonPhrase: 'OK' } }] };
}

/** Returns one of the servers that get facts. */
export function hotServer(world: World): string {
  const hot = [...world.books.servers].filter(([, book]) => book.firing.length > 0);
  return oneOf(world.random, hot)[0];
}

async function makeGenericRule(world: World): Promise<void> {
  const { genericRules } = world.books;
  if (genericRules.size >= GENERIC_RULES) return;
  const { answer } = await ask(world, 'POST', '/v1.0/demo/rules', ALWAYS);
  if (answer !== undefined) genericRules.add(String(answer.body['ruleId']));
}

async function makeRule(world: World, serverId: string): Promise<string | undefined> {
  const { answer } = await ask(world, 'POST', `/v1.0/demo/servers/${serverId}/rules`, ALWAYS);
  if (answer === undefined) return undefined;
  const ruleId = String(answer.body['ruleId']);
  serverBook(world.books, serverId).rules.add(ruleId);
  return ruleId;
}

async function subscribe(
  world: World,
  serverId: string,
  ruleId: string,
  url: string,
): Promise<string | undefined> {
  const { answer } = await ask(world, 'POST', `/v1.0/demo/servers/${serverId}/subscription`, { ruleId, url });
  if (answer === undefined) return undefined;
  const id = String(answer.body['subscriptionId']);
  serverBook(world.books, serverId).subscriptions.set(id, { ruleId, url });
  return id;
}

/** Each rule has one writer at a time: its newest version is known, except for the last change. */
async function changeRule(world: World): Promise<void> {
  const { versions, genericRules } = world.books;
  const ruleId = oneOf(world.random, [...genericRules]);
  const path = `/v1.0/demo/rules/${ruleId}`;
  const version = versions.get(path) ?? { acknowledged: 0, asked: 0 };
  if (version.asked !== version.acknowledged || ruleId === world.genericRule) return;
  versions.set(path, version);
  const next = (version.asked += 1);
  const { answer, unknown } = await ask(world, 'PUT', path, { name: `version ${next}` });
  if (answer !== undefined) version.acknowledged = next;
  else if (!unknown) version.asked -= 1;
}

/** Creates a rule with a subscription on a server without facts. */
async function makeSpare(world: World): Promise<void> {
  const serverId = `spare-${Math.floor(world.random() * 5)}`;
  const ruleId = await makeRule(world, serverId);
  if (ruleId !== undefined) await subscribe(world, serverId, ruleId, `${world.hook}/${(world.made += 1)}`);
}

/** Deletes a rule with its subscriptions, or a subscription. Forgets both if the outcome is unknown. */
async function removeSpare(world: World): Promise<void> {
  const { books, random } = world;
  const serverId = `spare-${Math.floor(random() * 5)}`;
  const { rules, subscriptions } = serverBook(books, serverId);
  const oldest = [...subscriptions][0];
  if (oldest === undefined) return;
  const [id, subscription] = oldest;
  const { ruleId } = subscription;
  subscriptions.delete(id);
  const base = `/v1.0/demo/servers/${serverId}`;
  const whole = random() < 0.5;
  if (whole) rules.delete(ruleId);
  const path = whole ? `${base}/rules/${ruleId}` : `${base}/subscription/${id}`;
  const { answer, unknown } = await ask(world, 'DELETE', path);
  if (answer !== undefined) books.gone.add(path).add(`${base}/subscription/${id}`);
  else if (!unknown) {
    subscriptions.set(id, subscription);
    rules.add(ruleId);
  }
}
