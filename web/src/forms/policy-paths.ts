/** Paths of the policy API. */

/** Joins segments to a path of the policy API: a tenant's id, then what is asked of it. Each is encoded. */
export function policyPath(...segments: readonly string[]): string {
  return `/v1.0/${segments.map(encodeURIComponent).join('/')}`;
}

/** The path that takes a server's measurements (operation 1). The service reads an ending `.json` as a format. */
export function serverPath(tenantId: string, serverId: string): string {
  return policyPath(tenantId, 'servers', serverId) + (serverId.endsWith('.json') ? '.json' : '');
}

/** The path of a rule, or of the rules if there is no `ruleId`. Without `serverId`: the tenant's. */
export function rulePath(
  tenantId: string,
  serverId: string | undefined,
  ...ruleId: readonly string[]
): string {
  const owner = serverId === undefined ? [tenantId] : [tenantId, 'servers', serverId];
  return policyPath(...owner, 'rules', ...ruleId);
}

/** The path at which a server's subscriptions are made, or of what is named after it (operations 15 to 17). */
export function subscriptionPath(tenantId: string, serverId: string, ...rest: readonly string[]): string {
  return policyPath(tenantId, 'servers', serverId, 'subscription', ...rest);
}
