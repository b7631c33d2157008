import { BrokerUnavailable, type Granted } from '../../broker/port.js';
import { newMark } from '../../broker/subscription-id.js';
import type { AboutSubscription } from '../../delivery/delivery.js';
import { identityOf, type MessageTemplate } from '../../delivery/form/formats.js';
import type { HeaderSeal, OpenForm } from '../../delivery/form/header-seal.js';
import { Refusal } from '../../errors.js';
import { findRule, type Rule } from '../rules/rule.js';
import type { SingleFlight } from '../../system/ttl-cache.js';
import { isKnown } from '../server/broker-intents.js';
import type { ServerEvent, TenantCopy } from '../server/server-context.js';
import { noSuchRule } from '../server/server-decisions.js';
import type { Servers } from '../server/servers.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { TenantLimit } from '../tenant/tenant-limits.js';
import type { Tenants } from '../tenant/tenants.js';
import { findBoundRule } from './bound-rule.js';
import { checkTemplate } from './template-check.js';
import { testMessageOf } from './test-messages.js';
import { brokerSubscription, type BrokerUse } from './broker-use.js';
import { existingOf, type Subscription, type Wanted } from '../state/subscription.js';

/** A subscription as somebody asks for it. */
export type AskedSubscription = OpenForm & Pick<Subscription, 'ruleId' | 'url'>;

/** Takes a subscription, and the url that it sends to. */
export type OnSubscribed = (subscription: AboutSubscription, url: string) => void;

/** Makes operations 15 to 17. */
export function createSubscriptions(options: {
  readonly servers: Servers;
  readonly tenants: Tenants;
  readonly broker: BrokerUse | undefined;
  readonly now: () => number;
  readonly newId: () => string;
  readonly onSubscribed: OnSubscribed;
  /** Concurrent requests for the same rule, url and form get one subscription. */
  readonly additions: SingleFlight<string>;
  /** undefined: a tenant may have any number of subscriptions. */
  readonly limit: TenantLimit | undefined;
  readonly seal: Pick<HeaderSeal, 'form'>;
  /** Returns the address of the service for people. */
  readonly publicUrl: () => string;
}) {
  const { servers, tenants, broker, now, newId, onSubscribed, additions, limit, seal, publicUrl } = options;
  const rulesChanged = (copy: TenantCopy): ServerEvent => ({ type: 'rulesChanged', now: now(), ...copy });
  const find = findBoundRule({
    server: (tenantId, serverId) => servers.read(tenantId, serverId),
    tenant: (tenantId) => tenants.committed(tenantId),
    // It is unknown to the caller, and the server ends it: nobody could otherwise.
    onOrphan: (tenantId, serverId, tenant) => servers.askWithTenant(tenantId, serverId, rulesChanged, tenant),
  });

  /**
   * Has a server compare its subscriptions with the rules of its tenant if they changed since a commit. Without that, a rule
   * that was removed while the commit was made would keep its subscription. Rejects with `Refusal('not-found')` if the rule
   * is gone.
   */
  const confirm = async (
    tenantId: string,
    serverId: string,
    { ruleId }: Wanted,
    decidedOn: TenantView,
  ): Promise<void> => {
    if (findRule(ruleId, decidedOn.rules) === undefined) return;
    const newest = await tenants.committed(tenantId);
    if (newest.version === decidedOn.version) return;
    const { tenant } = await servers.askWithTenant(tenantId, serverId, rulesChanged, newest);
    if (findRule(ruleId, tenant.rules) === undefined) throw noSuchRule(ruleId);
  };

  const bind = async (
    tenantId: string,
    serverId: string,
    subscription: Omit<Subscription, 'at'>,
    mark?: string,
  ): Promise<Subscription> => {
    const { reply, tenant } = await servers.askWithTenant<Subscription>(
      tenantId,
      serverId,
      (copy) => ({ type: 'subscribe', now: now(), subscription, mark, ...copy }),
      // Another node may just have made its rule.
      await tenants.committed(tenantId),
    );
    await confirm(tenantId, serverId, subscription, tenant);
    return reply;
  };

  /** Commits an intent, asks the broker for a subscription and binds it. */
  const addWithIntent = async (
    use: BrokerUse,
    tenantId: string,
    serverId: string,
    wanted: Wanted,
    mark: string,
  ): Promise<string> => {
    const ask = (event: ServerEvent): Promise<void> => servers.ask(tenantId, serverId, event);
    const server = await servers.read(tenantId, serverId);
    const known = server !== undefined && isKnown(server);
    const { reply: existing, tenant } = await servers.askWithTenant<Subscription | undefined>(
      tenantId,
      serverId,
      (copy) => ({ type: 'intend', now: now(), mark, known, wanted, ...copy }),
      await tenants.committed(tenantId),
    );
    if (existing !== undefined) {
      await confirm(tenantId, serverId, wanted, tenant);
      return existing.id;
    }
    let broker: Granted;
    try {
      broker = await use.port.subscribe(brokerSubscription(use, tenantId, serverId), mark);
    } catch (error) {
      const unsettled = error instanceof BrokerUnavailable && error.unsettled;
      await ask({ type: unsettled ? 'settle' : 'abandon', now: now(), mark });
      throw notGranted(error);
    }
    const discard: ServerEvent = { type: 'discard', now: now(), brokerId: broker.id, mark };
    try {
      const lease = { ...broker, checkedAt: now() };
      const bound = await bind(tenantId, serverId, { ...wanted, id: broker.id, broker: lease }, mark);
      if (bound.id !== broker.id) await ask(discard);
      return bound.id;
    } catch (error) {
      if (error instanceof Refusal) await ask(discard);
      throw error;
    }
  };

  const add = async (tenantId: string, serverId: string, wanted: Wanted): Promise<string> => {
    if (broker === undefined) return (await bind(tenantId, serverId, { ...wanted, id: newId() })).id;
    const key = JSON.stringify([tenantId, serverId, wanted.ruleId, wanted.url, identityOf(wanted)]);
    return additions(key, () => {
      const mark = newMark();
      broker.followed.add(mark);
      const added = addWithIntent(broker, tenantId, serverId, wanted, mark);
      return added.finally(() => broker.followed.delete(mark));
    });
  };

  const addWithin = (tenantId: string, serverId: string, wanted: Wanted): Promise<string> => {
    if (limit === undefined) return add(tenantId, serverId, wanted);
    const { ruleId, url } = wanted;
    const isNew = async (): Promise<boolean> => {
      const subscriptions = (await servers.read(tenantId, serverId))?.subscriptions ?? [];
      return existingOf(subscriptions, wanted) === undefined;
    };
    const key = JSON.stringify([serverId, ruleId, url, identityOf(wanted)]);
    return limit.within(tenantId, key, isNew, () => add(tenantId, serverId, wanted));
  };

  const ruleOf = async (tenantId: string, serverId: string, ruleId: string): Promise<Rule | undefined> => {
    const own = (await servers.read(tenantId, serverId))?.rules ?? [];
    return findRule(ruleId, own, (await tenants.committed(tenantId)).rules);
  };

  const check = (
    template: MessageTemplate,
    rule: Rule | undefined,
    tenantId: string,
    serverId: string,
  ): Promise<void> =>
    checkTemplate(template, rule, { tenantId, serverId, now: now(), publicUrl: publicUrl() });

  return {
    /** Operation 17. */
    get: find,
    /** Operation 15. Returns the id of the subscription that binds the rule to the url in this form, a new or the existing one. */
    async add(tenantId: string, serverId: string, asked: AskedSubscription): Promise<string> {
      const { ruleId, url, template } = asked;
      if (template !== undefined)
        await check(template, await ruleOf(tenantId, serverId, ruleId), tenantId, serverId);
      const wanted = { ruleId, url, ...seal.form(tenantId, asked) };
      const subscriptionId = await addWithin(tenantId, serverId, wanted);
      onSubscribed({ tenant: tenantId, server: serverId, subscriptionId }, wanted.url);
      return subscriptionId;
    },
    /**
     * Returns the test message of a subscription that operation 15 would make, which makes none. `id`: its webhook-id. Rejects
     * with `Refusal('not-found')` for an unknown rule, and with `Refusal('bad-request')` for a template that is refused.
     */
    async test(tenantId: string, serverId: string, asked: AskedSubscription, id: string) {
      const { ruleId, url, template } = asked;
      const rule = await ruleOf(tenantId, serverId, ruleId);
      if (template !== undefined) await check(template, rule, tenantId, serverId);
      if (rule === undefined) throw noSuchRule(ruleId);
      const at = now();
      const subscription = { ruleId, url, ...seal.form(tenantId, asked), id: 'test', at };
      const of = { tenantId, url, id, at, publicUrl: publicUrl() };
      return testMessageOf({ subscription, rule, serverId }, of);
    },
    /** Operation 16. */
    async remove(tenantId: string, serverId: string, subscriptionId: string): Promise<void> {
      await find(tenantId, serverId, subscriptionId);
      await servers.ask(tenantId, serverId, { type: 'unsubscribe', now: now(), subscriptionId });
    },
  };
}

/** Returns the refusal for a broker that is down or refuses: both make the service unavailable to the caller. */
function notGranted(error: unknown): Refusal {
  const what = error instanceof BrokerUnavailable ? 'cannot be reached' : 'refused the subscription';
  const detail = error instanceof Error ? error.message : '';
  return new Refusal('unavailable', `the context broker ${what} (${detail}); nothing was done`, {
    retryAfterS: 5,
    cause: error,
  });
}
