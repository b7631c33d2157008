import type { ApiClient } from '../api-client.js';
import { ALWAYS, addGeneric, addRule, factsBody, subscribe } from './actions.js';

/** The ids of a prepared tenant. */
export interface Ids {
  readonly tenantId: string;
  readonly serverId: string;
  /** The rule of the server. */
  readonly ruleId: string;
  /** The generic rule. */
  readonly genericId: string;
  readonly subscriptionId: string;
}

/** A row of the table of operations (policy §4). */
export interface Operation {
  readonly number: number;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: (ids: Ids) => string;
  /** A valid body; undefined for an operation without one. */
  readonly body?: (ids: Ids) => unknown;
}

const tenant = ({ tenantId }: Ids): string => `/v1.0/${tenantId}`;
const rules = (ids: Ids): string => `${tenant(ids)}/rules`;
const genericRule = (ids: Ids): string => `${rules(ids)}/${ids.genericId}`;
const servers = (ids: Ids): string => `${tenant(ids)}/servers`;
const server = (ids: Ids): string => `${servers(ids)}/${ids.serverId}`;
const serverRules = (ids: Ids): string => `${server(ids)}/rules`;
const serverRule = (ids: Ids): string => `${serverRules(ids)}/${ids.ruleId}`;
const subscriptions = (ids: Ids): string => `${server(ids)}/subscription`;
const subscription = (ids: Ids): string => `${subscriptions(ids)}/${ids.subscriptionId}`;

const rule = (): unknown => ALWAYS;
const facts = (): unknown => factsBody({ cpuLoadPct: '42.5' });

/** All operations of the interface. */
export const OPERATIONS: readonly Operation[] = [
  { number: 1, method: 'POST', path: (ids) => `/${ids.tenantId}/servers/${ids.serverId}`, body: facts },
  { number: 2, method: 'GET', path: tenant },
  { number: 3, method: 'PUT', path: tenant, body: () => ({ windowsize: 7 }) },
  { number: 4, method: 'POST', path: rules, body: rule },
  { number: 5, method: 'GET', path: rules },
  { number: 6, method: 'PUT', path: genericRule, body: rule },
  { number: 7, method: 'DELETE', path: genericRule },
  { number: 8, method: 'GET', path: genericRule },
  { number: 9, method: 'GET', path: servers },
  { number: 10, method: 'GET', path: server },
  { number: 11, method: 'POST', path: serverRules, body: rule },
  { number: 12, method: 'PUT', path: serverRule, body: rule },
  { number: 13, method: 'DELETE', path: serverRule },
  { number: 14, method: 'GET', path: serverRule },
  {
    number: 15,
    method: 'POST',
    path: subscriptions,
    body: ({ ruleId }) => ({ ruleId, url: 'http://127.0.0.1:9/other' }),
  },
  { number: 16, method: 'DELETE', path: subscription },
  { number: 17, method: 'GET', path: subscription },
];

/** The path of operation 1 under `/v1.0`. */
export const versionedFacts = (ids: Ids): string => server(ids);

/** Prepares the demo tenant with one of everything. */
export async function prepared(api: ApiClient): Promise<Ids> {
  const genericId = await addGeneric(api);
  const ruleId = await addRule(api, 'web-1');
  const subscriptionId = await subscribe(api, 'web-1', ruleId, 'http://127.0.0.1:9/hook');
  return { tenantId: 'demo', serverId: 'web-1', ruleId, genericId, subscriptionId };
}

/** Returns everything that the interface shows of the prepared tenant, as text. */
export async function shownState(api: ApiClient, ids: Ids): Promise<string> {
  const paths = [tenant(ids), rules(ids), servers(ids), server(ids), subscription(ids)];
  const answers = await Promise.all(paths.map((path) => api.call('GET', path)));
  return answers.map(({ status, text }) => `${status} ${text}`).join('\n');
}
