/** Paths of the policy API. Each part is encoded. */

function pathOf(...segments: readonly string[]): string {
  return `/v1.0/${segments.map(encodeURIComponent).join('/')}`;
}

/** The path of a tenant (operations 2 and 3). */
export function tenantPath(tenantId: string): string {
  return pathOf(tenantId);
}

/** The path that takes a server's measurements (operation 1). The service reads an ending `.json` as a format. */
export function serverPath(tenantId: string, serverId: string): string {
  return pathOf(tenantId, 'servers', serverId) + (serverId.endsWith('.json') ? '.json' : '');
}

/** The path of the tenant's webhook secret. */
export function secretPath(tenantId: string): string {
  return pathOf(tenantId, 'webhook-secret');
}

/** The path of a rule, or of the rules if there is no `ruleId`. Without `serverId`: the tenant's. */
export function rulePath(tenantId: string, serverId: string | undefined, ruleId?: string): string {
  const owner = serverId === undefined ? [tenantId] : [tenantId, 'servers', serverId];
  return pathOf(...owner, 'rules', ...(ruleId === undefined ? [] : [ruleId]));
}

/** The path that tries a rule on measurements of the past. */
export function backtestPath(tenantId: string): string {
  return pathOf(tenantId, 'rules', 'backtest');
}

/** The path of a subscription, or the one at which they are made (operations 15 to 17). */
export function subscriptionPath(tenantId: string, serverId: string, subscriptionId?: string): string {
  return pathOf(
    tenantId,
    'servers',
    serverId,
    'subscription',
    ...(subscriptionId === undefined ? [] : [subscriptionId]),
  );
}

/** The path of a subscription's mute. */
export function mutePath(tenantId: string, serverId: string, subscriptionId: string): string {
  return `${subscriptionPath(tenantId, serverId, subscriptionId)}/mute`;
}
