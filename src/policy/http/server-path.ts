/**
 * The path of a server, which is that of operations 1 and 10. A server id holds no character that has to be encoded.
 * The ending `.json` of a path asks for a format, so that an id with this ending is written with it once more.
 */
export function serverPath(tenantId: string, serverId: string): string {
  return `/v1.0/${tenantId}/servers/${serverId}${serverId.endsWith('.json') ? '.json' : ''}`;
}
