import type { Actors } from '../../actors/kind.js';
import type { ServerEvent } from '../server/server-context.js';
import type { Servers } from '../server/servers.js';
import { findBoundRule } from '../subscriptions/bound-rule.js';
import type { TenantContext } from '../tenant/tenant-machine.js';
import { addressOfTenant } from '../tenant/tenants.js';
import { muteEnd, type WantedMute } from './mute-end.js';
import { currentMute, type Mute } from '../state/subscription.js';
import type { Acknowledgement } from '../state/subscription-state.js';

/** A subscription's id, with the ids of its tenant and its server. */
export interface SubscriptionPath {
  readonly tenantId: string;
  readonly serverId: string;
  readonly subscriptionId: string;
}

/** A subscription as people mute it. */
export interface MutableSubscription {
  readonly serverId: string;
  readonly ruleName: string;
  /** undefined if it is not muted. */
  readonly mute: Mute | undefined;
}

/** Mutes subscriptions. */
export type Mutes = ReturnType<typeof createMutes>;

/**
 * Makes the operations that mute subscriptions (docs/policy-api.md, "Subscriptions"). They reject with `Refusal('not-found')`
 * for a subscription that operation 17 does not show. A page is never older than an answer of any node.
 */
export function createMutes(
  servers: Pick<Servers, 'ask' | 'read'>,
  actors: Pick<Actors, 'readCommitted'>,
  now: () => number,
) {
  const find = findBoundRule({
    server: servers.read,
    tenant: (tenantId) => actors.readCommitted<TenantContext>(addressOfTenant(tenantId)),
  });

  const ask = async <R = void>(path: SubscriptionPath, event: ServerEvent): Promise<R> => {
    const { tenantId, serverId, subscriptionId } = path;
    await find(tenantId, serverId, subscriptionId);
    return servers.ask<R>(tenantId, serverId, event);
  };

  return {
    /** Mutes a subscription. Returns the end, ms since the epoch. Rejects with the errors of `muteEnd`. */
    async mute(path: SubscriptionPath, wanted: WantedMute, by?: string): Promise<number> {
      const at = now();
      const until = muteEnd(wanted, at);
      const { comment } = wanted;
      await ask(path, { type: 'mute', now: at, subscriptionId: path.subscriptionId, until, by, comment });
      return until;
    },
    /** Ends the mute of a subscription, if any. */
    unmute: (path: SubscriptionPath) =>
      ask(path, { type: 'unmute', now: now(), subscriptionId: path.subscriptionId }),
    /** Records that somebody looks after the state of a subscription. Rejects with `Refusal('conflict')` if it needs nobody. */
    acknowledge: (path: SubscriptionPath, by: string, note: string | undefined) =>
      ask<Acknowledgement>(path, {
        type: 'acknowledge',
        now: now(),
        subscriptionId: path.subscriptionId,
        by,
        note,
      }),
    /** Takes the acknowledgement back, if there is one. */
    unacknowledge: (path: SubscriptionPath) =>
      ask(path, { type: 'acknowledge', now: now(), subscriptionId: path.subscriptionId }),
    async read({ tenantId, serverId, subscriptionId }: SubscriptionPath): Promise<MutableSubscription> {
      const bound = await find(tenantId, serverId, subscriptionId);
      return { serverId, ruleName: bound.rule.name, mute: currentMute(bound, now()) };
    },
  };
}
