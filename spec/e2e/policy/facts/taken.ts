import type { ApiClient } from '../../api-client.js';
import { okBody } from '../actions.js';

/** An element of NGSI-10. */
export function element(id: unknown, cpuLoadPct: unknown, statusCode: object = { code: '200' }): object {
  const attributes = [{ name: 'cpuLoadPct', type: 'string', value: cpuLoadPct }];
  return { contextElement: { id, type: 'host', isPattern: 'false', attributes }, statusCode };
}

/** Returns the ids of the known servers. */
export async function serversOf(api: ApiClient): Promise<readonly string[]> {
  const { servers } = okBody(await api.call('GET', '/v1.0/demo/servers')) as unknown as {
    servers: { serverId: string }[];
  };
  return servers.map(({ serverId }) => serverId);
}

/** Sends one fact of a server. Returns how many facts the server had before. */
export async function factsBefore(api: ApiClient, serverId: string): Promise<number> {
  const body = { contextResponses: [element('any', '0')] };
  return okBody(await api.call('POST', `/demo/servers/${serverId}`, body))['id']! - 1;
}
