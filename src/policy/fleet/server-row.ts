import { explainedAt, explainSubscription } from '../explain/explanation.js';
import type { ExplainedComparison } from '../explain/shapes.js';
import { findRule } from '../rules/rule.js';
import type { ServerContext } from '../server/server-context.js';
import { worstOf } from '../server/server-place.js';
import { ackOf, stateFrom } from '../state/subscription-state.js';
import { subscribedRulesOf } from '../server/subscribed-rules.js';
import { currentMute } from '../state/subscription.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { UNREADABLE_TENANT } from '../tenant/tenant-views.js';
import { lastArrival } from '../windows/window.js';
import type { FleetComparison, FleetMarks, FleetRow, FleetServer } from './shapes.js';
import { isoOf } from '../../system/iso.js';

/**
 * Returns a server as lists show it, at a time, ms since the epoch. `tenant` is undefined if this service cannot read it: then
 * nothing is known of the generic rules.
 */
export function rowOf(
  server: ServerContext,
  tenant: TenantView | undefined,
  now: number,
  messages: Pick<FleetServer, 'waiting' | 'dead'>,
): FleetRow {
  const { address, factId, windows } = server;
  const worst = worstOf(server);
  return {
    tenantId: address.tenant,
    serverId: address.name,
    state: worst?.state ?? 'unwatched',
    // 0: there never was a measurement.
    since: worst?.since ? isoOf(worst.since) : null,
    ...(worst === undefined || tenant === undefined ? UNBOUND : ofWorst(server, tenant, worst.index, now)),
    lastFact: factId === 0 ? null : { id: factId, at: isoOf(lastArrival(windows)) },
    marks: marksOf(server, tenant, now),
    unacknowledged: unacknowledgedOf(server, worst?.state),
    ...messages,
  };
}

/** The states that are acknowledged together: those in trouble, or those that may become so. */
const TOGETHER: readonly (readonly string[])[] = [['firing', 'noData'], ['pending']];
/** Maximum number of subscriptions. */
const UNACKNOWLEDGED = 100;

/** `state`: the worst of the server. */
function unacknowledgedOf({ subscriptions, states }: ServerContext, state = ''): readonly string[] {
  const together = TOGETHER.find((one) => one.includes(state));
  if (together === undefined) return [];
  const ids = subscriptions.flatMap(({ id }, i) => {
    const current = stateFrom(states[i]);
    return current !== undefined && together.includes(current.state) && ackOf(current) === undefined
      ? [id]
      : [];
  });
  return ids.slice(0, UNACKNOWLEDGED);
}

type OfWorst = Pick<FleetServer, 'rule' | 'subscriptionId' | 'sentence' | 'labels' | 'comparison'>;

const UNBOUND: OfWorst = { rule: null, subscriptionId: null, sentence: null, labels: {}, comparison: null };

function ofWorst(server: ServerContext, tenant: TenantView, index: number, now: number): OfWorst {
  const subscription = server.subscriptions[index]!;
  const rule = findRule(subscription.ruleId, server.rules, tenant.rules);
  // The rule was removed a moment ago: the subscription is about to end.
  if (rule === undefined) return { ...UNBOUND, subscriptionId: subscription.id };
  const at = explainedAt(server, tenant, new Map(), now);
  const current = stateFrom(server.states[index]);
  const { sentence, comparisons } = explainSubscription(at, rule, { subscription, current });
  return {
    rule: { id: rule.ruleId, name: rule.name },
    subscriptionId: subscription.id,
    sentence,
    labels: rule.labels ?? {},
    comparison: shownComparison(comparisons),
  };
}

function shownComparison(comparisons: readonly ExplainedComparison[]): FleetComparison | null {
  const chosen = comparisons.find(({ holds }) => holds === true) ?? comparisons[0];
  if (chosen === undefined) return null;
  const { metric, result, operand, value } = chosen;
  return { metric, result, operand, value };
}

function marksOf(server: ServerContext, tenant: TenantView | undefined, now: number): FleetMarks {
  const { subscriptions, states } = server;
  const { all } = subscribedRulesOf(server, tenant ?? UNREADABLE_TENANT);
  const count = (test: (index: number) => boolean): number =>
    subscriptions.reduce((sum, _, index) => sum + (test(index) ? 1 : 0), 0);
  return {
    muted: all.filter((one) => currentMute(one, now) !== undefined).length,
    suspended: count((i) => subscriptions[i]!.suspended !== undefined),
    acknowledged: count((i) => {
      const current = stateFrom(states[i]);
      return current !== undefined && ackOf(current) !== undefined;
    }),
  };
}
