import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { apiClient, request } from '../../e2e/api-client.js';
import { onceAbove } from '../../e2e/policy/actions.js';
import { factsBody } from './clients.js';
import { eventually } from './eventually.js';
import type { OrderedReceivers } from './ordered-receivers.js';
import { oneOf } from './random.js';

/** Servers whose rule sends mails too. */
const WITH_MAILS = 4;

/** A rule that says once that it holds, and once that it is over. */
const ONCE = onceAbove(50);
const MAIL = { ...ONCE, action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look.' } };

/** Servers whose state changes again and again, with a message of each change. */
export interface OrderLoad {
  /** Changes the states until `stop`. Resolves once no request is under way. */
  run(): Promise<void>;
  stop(): void;
  /** Checks that each change has reached each receiver once and in order. Resolves with the number of messages. */
  audit(withinMs: number): Promise<number>;
}

/** Creates servers with one subscription each. `urls` returns the addresses of the nodes that can be asked. */
export async function orderLoad(
  urls: () => readonly string[],
  receivers: OrderedReceivers,
  random: () => number,
  servers: number,
): Promise<OrderLoad> {
  const names = Array.from({ length: servers }, (_, n) => `web-${n}`);
  const api = await apiClient(urls()[0]!);
  await api.call('PUT', '/v1.0/demo', { windowsize: 1 });
  for (const [n, name] of names.entries()) {
    const path = `/v1.0/demo/servers/${name}`;
    const { body } = await api.call('POST', `${path}/rules`, n < WITH_MAILS ? MAIL : ONCE);
    const made = await api.call('POST', `${path}/subscription`, {
      ruleId: body['ruleId'],
      url: receivers.url,
    });
    expect(made.status, made.text).to.equal(200);
  }
  /** By server: changes that a message reports. */
  const changes = new Map<string, number>(names.map((name) => [name, 0]));
  const load = { runs: true };

  /** Sends the next change of a server. A repetition changes nothing: whether a lost request counted need not be known. */
  const change = async (server: string): Promise<boolean> => {
    const next = changes.get(server)! + 1;
    const body = factsBody(next % 2 === 1 ? 97 : 10);
    const status = await request(`${oneOf(random, urls())}/v1.0/demo/servers/${server}`, 'POST', body)
      .then((answer) => answer.status)
      .catch(() => 0);
    if (status === 200) changes.set(server, next);
    return status === 200;
  };
  const flip = async (server: string): Promise<void> => {
    while (load.runs) await pause((await change(server)) ? 40 : 10);
  };

  const missing = (): readonly string[] =>
    [...receivers.lines].flatMap(([key, { states }]) => {
      const expected = changes.get(key.split('/')[0]!)!;
      return states.length === expected ? [] : [`${key}: ${states.length} of ${expected}`];
    });

  /** Returns the service's view of the messages that did not arrive. */
  const pending = async (): Promise<string> => {
    const headers = { 'x-auth-token': api.token };
    const [url] = urls();
    const texts: string[] = [];
    for (const server of new Set(missing().map((line) => line.split('/')[0]!))) {
      const path = `/operator/deliveries?state=pending&server=${server}&limit=100`;
      const actors = `/operator/actors?kind=server&query=${server}`;
      texts.push((await request(url + path, 'GET', undefined, headers)).text);
      texts.push((await request(url + actors, 'GET', undefined, headers)).text);
    }
    return texts.join(' ');
  };

  return {
    async run() {
      load.runs = true;
      await Promise.all(names.map(flip));
    },
    stop() {
      load.runs = false;
    },
    async audit(withinMs) {
      // A change whose answer was lost may have been made: the next one is known to be.
      for (const name of names) {
        await eventually(
          async () => ((await change(name)) ? true : undefined),
          withinMs,
          () => `${name} takes no measurement`,
        );
      }
      receivers.behave();
      const { lines, surprises } = receivers;
      const lineCount = servers + WITH_MAILS;
      const isComplete = (): boolean => lines.size === lineCount && missing().length === 0;
      await eventually(
        () => (isComplete() || surprises.length > 0 ? true : undefined),
        withinMs,
        async () =>
          `${lines.size} of ${lineCount} lines; ${missing().join(', ')}; pending: ${await pending()}`,
      );
      expect(surprises).to.deep.equal([]);
      for (const [key, { states }] of lines) {
        const expected = states.map((_, i) => (i % 2 === 0 ? 'firing' : 'resolved'));
        expect(states, key).to.deep.equal(expected);
      }
      return [...lines.values()].reduce((sum, { states }) => sum + states.length, 0);
    },
  };
}
