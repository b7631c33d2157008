import type { ApiAnswer, ApiClient } from '../../api-client.js';
import { okBody } from '../actions.js';

const PATH = '/v1.0/demo/servers/web-1/subscription';

/** Asks for a subscription of the server web-1. */
export function askFor(api: ApiClient, draft: object, query = ''): Promise<ApiAnswer> {
  return api.call('POST', PATH + query, draft);
}

/** Subscribes on the server web-1. Returns the id. */
export async function subscribed(api: ApiClient, draft: object): Promise<string> {
  return okBody(await askFor(api, draft))['subscriptionId']!;
}

/** Returns a subscription of the server web-1 as it is shown. */
export async function shown(api: ApiClient, subscriptionId: string): Promise<Record<string, unknown>> {
  return okBody(await api.call('GET', `${PATH}/${subscriptionId}`));
}
