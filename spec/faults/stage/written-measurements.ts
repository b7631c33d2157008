import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Number of measurements by entity, attribute and value. */
export type Tally = Map<string, number>;

/** Adds one measurement. */
export function tally(counts: Tally, entity: string, attribute: string, value: number): void {
  const key = `${entity} ${attribute} ${value}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** An update of one attribute of an entity, as a request. */
export interface Update {
  readonly path: string;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

export interface WriteOptions {
  /** Address of the broker. */
  readonly url: string;
  readonly entities: readonly string[];
  readonly attributes: readonly string[];
  /** Number of requests at once. */
  readonly writers: number;
  readonly seconds: number;
  /** Returns the number of notifications that the broker has sent so far. */
  readonly notified: () => number;
  readonly update: (entity: string, attribute: string, value: number) => Update;
}

/** Most updates without a notification yet: a broker takes updates faster than it notifies, and slows under a backlog. */
const MOST_AHEAD = 1_000;

/** Length of a broker's clock tick, ms: an attribute is not updated twice in one. */
const TICK_MS = 2;

/**
 * Updates entities as fast as the broker notifies of it. Each writer has its own entities. An attribute has each value twice in a
 * row. Returns what the broker has acknowledged. Throws for an update that it refused.
 */
export async function writeMeasurements(options: WriteOptions): Promise<Tally> {
  const { url, entities, attributes, writers, seconds, notified, update } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: writers });
  const written: Tally = new Map();
  let updates = 0;
  const end = performance.now() + seconds * 1000;
  const write = async (own: readonly string[]): Promise<void> => {
    for (let round = 0; performance.now() < end; round += 1) {
      for (const attribute of attributes) {
        const startedAt = performance.now();
        for (const entity of own) {
          const value = Math.floor(round / 2) / 100;
          await post(url, agent, update(entity, attribute, value));
          tally(written, entity, attribute, value);
          updates += 1;
        }
        while (performance.now() - startedAt < TICK_MS) await turn();
        while (updates - notified() > MOST_AHEAD && performance.now() < end) await turn();
      }
    }
  };
  const parts = Array.from({ length: writers }, (_, i) => entities.filter((_entity, j) => j % writers === i));
  await Promise.all(parts.map(write));
  agent.destroy();
  return written;
}

/** Lets other work of the process go on. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function post(url: string, agent: Agent, { path, body, headers }: Update): Promise<void> {
  const sent = request(url + path, {
    method: 'POST',
    agent,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
  });
  const answered = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => {
      text(response).then((read) => resolve({ status: response.statusCode!, body: read }), reject);
    });
  });
  sent.end(JSON.stringify(body));
  const { status, body: said } = await answered;
  if (status > 299) throw new Error(`the broker answered ${status} to POST ${path}: ${said}`);
}
