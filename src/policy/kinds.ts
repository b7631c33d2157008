import { setTimeout } from 'node:timers/promises';
import type { ActorKind, EffectRun } from '../actors/kind.js';
import { performed } from '../actors/outbox.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { EndpointEvent } from '../delivery/endpoint/endpoint-machine.js';
import { endpointOf } from '../delivery/reporting.js';
import { pages } from '../store/paging.js';
import { addressOf } from '../store/port.js';
import type { Store } from '../store/port.js';
import { brokerEffects } from './subscriptions/broker-effects.js';
import type { BrokerUse } from './subscriptions/broker-use.js';
import type { ServerSettings } from './server/evaluate.js';
import { handingOver } from './facts/handing-over.js';
import { charactersWaiting } from './subscriptions/news.js';
import type { ResumeEffect, ServerContext, ServerEvent } from './server/server-context.js';
import { serverMachine } from './server/server-machine.js';
import { tenantMachine } from './tenant/tenant-machine.js';
import type { EndRuleEffect, TenantContext, TenantEvent } from './tenant/tenant-machine.js';
import { tenantNameMachine } from './tenant/tenant-name-machine.js';
import { windowsText } from './server/window-text.js';

export const SERVER = 'server';
export const TENANT = 'tenant';
export const TENANT_NAME = 'tenant-name';

/** How many servers of a tenant are looked at together when a generic rule ends. */
const FAN_OUT_PAGE = 500;
/** After what time no node decides on a copy of the tenant from before a change, ms. */
const EVERY_NODE_KNOWS_MS = 1_000;

export interface PolicyKindOptions {
  readonly store: Store;
  readonly deliveries: Deliveries;
  readonly settings: ServerSettings;
  readonly broker: BrokerUse | undefined;
  readonly now: () => number;
}

/** The kinds of actors behind the policy API. */
export function policyKinds(options: PolicyKindOptions): ActorKind[] {
  return [
    {
      name: SERVER,
      version: 1,
      machine: serverMachine(options.settings),
      rarelyWritten: ['address', 'rules', 'subscriptions', 'ended'],
      writers: { windows: windowsText },
      deletedState: 'gone',
      outgoing: charactersWaiting,
      room: 'remove rules of this server, or end subscriptions, first',
      effects: serverEffects(options),
    },
    {
      name: TENANT,
      version: 1,
      machine: tenantMachine,
      rarelyWritten: [],
      room: 'remove rules of this tenant first',
      effects: { endRule: endRuleEverywhere(options) },
    },
    { name: TENANT_NAME, version: 1, machine: tenantNameMachine, rarelyWritten: [], effects: {} },
  ];
}

function serverEffects(options: PolicyKindOptions) {
  const { deliveries, now } = options;
  return {
    ...brokerEffects(options),

    deliver: handingOver(deliveries, now),

    async resume(entry: ResumeEffect, _context: ServerContext, { address: { tenant }, actors }: EffectRun) {
      const event: EndpointEvent = { type: 'resume', now: now(), since: entry.since };
      await actors.ask(endpointOf({ tenant, subscriptionId: entry.subscriptionId }), event);
      return performed(entry, now());
    },
  };
}

/**
 * Tells every server of the tenant that watches a generic rule that it is gone; and once more when every node knows
 * that it is, since one that did not yet may have bound another server to it meanwhile.
 */
function endRuleEverywhere({ store, now }: PolicyKindOptions) {
  const endOnce = async (
    entry: EndRuleEffect,
    tenant: string,
    actors: EffectRun['actors'],
  ): Promise<void> => {
    const query = { kind: SERVER, tenant, limit: FAN_OUT_PAGE };
    for await (const page of pages((after) => store.list({ ...query, after }))) {
      const bound = page.filter((listed) => listed.cold.includes(entry.ruleId));
      await Promise.all(
        bound.map(({ id }) => {
          const event: ServerEvent = { type: 'endRule', now: now(), ruleId: entry.ruleId };
          return actors.ask(addressOf(id), event);
        }),
      );
    }
  };
  return async (
    entry: EndRuleEffect,
    _context: TenantContext,
    { address: { tenant }, actors }: EffectRun,
  ): Promise<TenantEvent> => {
    await endOnce(entry, tenant, actors);
    if (store.shared) {
      await setTimeout(EVERY_NODE_KNOWS_MS, undefined, { ref: false });
      await endOnce(entry, tenant, actors);
    }
    return performed(entry, now());
  };
}
