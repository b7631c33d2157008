import { expect } from 'chai';
import type { InboxMessage } from '../../../src/embedded/inbox.js';
import type { Got, Receiver } from '../../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import type { ApiAnswer, ApiClient } from '../api-client.js';

/** A rule that fires at every fact with a cpu value. */
export const ALWAYS = {
  name: 'always',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
} as const;

/** Returns a rule that sends one message when its cpu is greater, and one when that ends. */
export function onceAbove(value: number) {
  return {
    name: 'busy',
    condition: { cpu: { value, operand: 'greater' } },
    repeat: 0,
    resolve: true,
    action: { actionName: 'notify-scale', operation: 'scaleUp' },
  };
}

/** Returns the body of operation 1 with one element. `attributes` maps names to values. */
export function factsBody(...elements: readonly Readonly<Record<string, string | number>>[]) {
  return {
    contextResponses: elements.map((attributes) => ({
      contextElement: {
        attributes: Object.entries(attributes).map(([name, value]) => ({ name, value, type: 'string' })),
        id: 'Trove:instance_id',
        isPattern: 'false',
        type: 'host',
      },
      statusCode: { code: '200', reasonPhrase: 'Ok' },
    })),
  };
}

/** Returns the body of an answer. Fails with the text of the answer unless it is a 200. */
export function okBody(answer: ApiAnswer): ApiAnswer['body'] {
  expect(answer.status, answer.text).to.equal(200);
  return answer.body;
}

/** Sends one measurement of cpu. Returns its number. */
export async function cpu(api: ApiClient, server: string, value: number | string): Promise<number> {
  const body = factsBody({ cpuLoadPct: String(value) });
  return okBody(await api.call('POST', `/demo/servers/${server}`, body))['id']!;
}

/** Creates a rule of a server. Returns its id. */
export async function addRule(api: ApiClient, server: string, rule: object = ALWAYS): Promise<string> {
  return okBody(await api.call('POST', `/v1.0/demo/servers/${server}/rules`, rule))['ruleId']!;
}

/** Creates a generic rule. Returns its id. */
export async function addGeneric(api: ApiClient, rule: object = ALWAYS): Promise<string> {
  return okBody(await api.call('POST', '/v1.0/demo/rules', rule))['ruleId']!;
}

/** Binds a rule on a server to a url. Returns the id of the subscription. */
export async function subscribe(
  api: ApiClient,
  server: string,
  ruleId: string,
  url: string,
): Promise<string> {
  const path = `/v1.0/demo/servers/${server}/subscription`;
  return okBody(await api.call('POST', path, { ruleId, url }))['subscriptionId']!;
}

/** Creates a rule of a server and a subscription of it. */
export async function addSubscribedRule(
  api: ApiClient,
  server: string,
  url: string,
  rule: object = ALWAYS,
): Promise<{ readonly ruleId: string; readonly subscriptionId: string }> {
  const ruleId = await addRule(api, server, rule);
  return { ruleId, subscriptionId: await subscribe(api, server, ruleId, url) };
}

/** Sets the window size of the tenant. */
export async function windowSize(api: ApiClient, size: number): Promise<void> {
  okBody(await api.call('PUT', '/v1.0/demo', { windowsize: size }));
}

/** Returns the values in the windows of a rule on a server, by metric. */
export async function windowValues(
  api: ApiClient,
  server: string,
  ruleId: string,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const path = `/v1.0/demo/servers/${server}/rules/${ruleId}/explain`;
  const { windows } = okBody(await api.call('GET', path)) as unknown as {
    readonly windows: Readonly<Record<string, { readonly values: readonly number[] }>>;
  };
  return Object.fromEntries(Object.entries(windows).map(([metric, { values }]) => [metric, values]));
}

/** Resolves with the requests of a receiver once it has `count`. */
export async function arrived(
  receiver: Receiver,
  count: number,
  withinMs: number = SOON_MS,
): Promise<readonly Got[]> {
  return eventually(
    () => (receiver.got.length >= count ? receiver.got : undefined),
    withinMs,
    () => `${receiver.got.length} of ${count} requests arrived`,
  );
}

/** Resolves with the mails of the inbox in the process, newest first, once there are so many. */
export function mailsIn(api: ApiClient, count: number): Promise<readonly InboxMessage[]> {
  return eventually(
    async () => {
      const inbox = okBody(await api.call('GET', '/operator/inbox')) as unknown as readonly InboxMessage[];
      return inbox.length >= count ? inbox : undefined;
    },
    SOON_MS,
    () => `${count} mails did not come`,
  );
}

/** The members of a webhook body that the specs read. */
export interface Fired {
  readonly action: string;
  readonly serverId: string;
  readonly id: string;
  readonly factId: number;
  readonly ruleName: string;
  readonly subscriptionId: string;
  readonly measures: Readonly<Record<string, number>>;
}

/** Returns the firings at a receiver in the order of their arrival. */
export function firedIn(got: readonly Got[]): readonly Fired[] {
  return got.map(({ body }) => JSON.parse(body) as Fired);
}

/** Returns the numbers of the facts that fired to a receiver, ascending. */
export function factsIn(got: readonly Got[]): readonly number[] {
  return firedIn(got)
    .map(({ factId }) => factId)
    .toSorted((a, b) => a - b);
}
