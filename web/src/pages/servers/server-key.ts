/** Returns what a server is selected by. */
export function keyOf(server: { readonly tenantId: string; readonly serverId: string }): string {
  return `${server.tenantId}/${server.serverId}`;
}
