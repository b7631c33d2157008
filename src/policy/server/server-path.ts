/**
 * Returns the path of a server, that of operations 1 and 10. A server id contains no character that must be encoded. The
 * ending `.json` of a path asks for a format, so an id with this ending is written with it twice.
 */
export function serverPath(tenantId: string, serverId: string): string {
  return `/v1.0/${tenantId}/servers/${serverId}${serverId.endsWith('.json') ? '.json' : ''}`;
}

/** Returns the path of a server's page in the console. */
export function serverPagePath(tenantId: string, serverId: string): string {
  return `/console/servers/${encodeURIComponent(tenantId)}/${encodeURIComponent(serverId)}`;
}
