import { expect } from 'chai';
import type { Got, Receiver } from '../delivery/senders/receiver.js';
import { eventually } from '../faults/eventually.js';
import type { ApiAnswer, ApiClient } from './api-client.js';

/** Longest time for something that happens at once, ms; generous, for a machine that does much else. */
export const SOON_MS = 8_000;

/** A rule that every fact with a cpu value fires. */
export const ALWAYS = {
  name: 'always',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
} as const;

/** The body of operation 1 for one element: attribute → value. */
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

/** The answer's body; fails with the answer's text where it is not a 200. */
export function taken(answer: ApiAnswer): ApiAnswer['body'] {
  expect(answer.status, answer.text).to.equal(200);
  return answer.body;
}

/** Sends one measurement of cpu; its number. */
export async function cpu(api: ApiClient, server: string, value: number | string): Promise<number> {
  const body = factsBody({ cpuLoadPct: String(value) });
  return taken(await api.call('POST', `/demo/servers/${server}`, body))['id']!;
}

/** Creates a rule of a server; its id. */
export async function addRule(api: ApiClient, server: string, rule: object = ALWAYS): Promise<string> {
  return taken(await api.call('POST', `/v1.0/demo/servers/${server}/rules`, rule))['ruleId']!;
}

/** Creates a generic rule; its id. */
export async function addGeneric(api: ApiClient, rule: object = ALWAYS): Promise<string> {
  return taken(await api.call('POST', '/v1.0/demo/rules', rule))['ruleId']!;
}

/** Binds a rule on a server to a url; the subscription's id. */
export async function subscribe(
  api: ApiClient,
  server: string,
  ruleId: string,
  url: string,
): Promise<string> {
  const path = `/v1.0/demo/servers/${server}/subscription`;
  return taken(await api.call('POST', path, { ruleId, url }))['subscriptionId']!;
}

/** Creates a rule of a server and binds it. */
export async function watch(
  api: ApiClient,
  server: string,
  url: string,
  rule: object = ALWAYS,
): Promise<{ readonly ruleId: string; readonly subscriptionId: string }> {
  const ruleId = await addRule(api, server, rule);
  return { ruleId, subscriptionId: await subscribe(api, server, ruleId, url) };
}

/** Has every server of the tenant look at `size` values. */
export async function windowSize(api: ApiClient, size: number): Promise<void> {
  taken(await api.call('PUT', '/v1.0/demo', { windowsize: size }));
}

/** What a receiver got, once it has `count` requests. */
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

/** What the body of a webhook says, as far as the specs look at it. */
export interface Fired {
  readonly action: string;
  readonly serverId: string;
  readonly id: string;
  readonly factId: number;
  readonly ruleName: string;
  readonly subscriptionId: string;
  readonly measures: Readonly<Record<string, number>>;
}

/** The firings that a receiver got, in the order of their arrival. */
export function firedIn(got: readonly Got[]): readonly Fired[] {
  return got.map(({ body }) => JSON.parse(body) as Fired);
}

/** The facts that fired what a receiver got, in ascending order. */
export function factsIn(got: readonly Got[]): readonly number[] {
  return firedIn(got)
    .map(({ factId }) => factId)
    .toSorted((a, b) => a - b);
}
