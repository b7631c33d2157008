import type { Actors } from '../../actors/kind.js';
import { type MessageForm, shownForm } from '../../delivery/form/formats.js';
import type { SubscriptionFormView } from '../../delivery/form/shapes.js';
import { receiverId } from '../../delivery/receiver/receiver-machine.js';
import { Refusal } from '../../errors.js';
import { shownWindow } from '../../policy/explain/explanation.js';
import type { Explanation, ServerState } from '../../policy/explain/shapes.js';
import type { Policy } from '../../policy/policy.js';
import { METRICS, ofMetric } from '../../policy/rules/metrics.js';
import { findRule, type Rule, ruleOptionsOf } from '../../policy/rules/rule.js';
import { isKnown } from '../../policy/server/broker-intents.js';
import type { ServerContext } from '../../policy/server/server-context.js';
import { unknownServer } from '../../policy/server/server-decisions.js';
import { SERVER } from '../../policy/server/server-kind.js';
import { lastArrival, windowsByMetric } from '../../policy/windows/window.js';
import { isoOf } from '../../system/iso.js';
import type { ConditionView } from '../../policy/rules/shapes.js';
import type { ServerRuleView, ServerView, StatechartView } from '../shapes.js';

/**
 * Shows one server. An unknown server is `refused`: rejects with `Refusal('not-found')`; or it is `new`: shown with
 * revision 0, without rules and values.
 */
export type ShowServer = (
  tenantId: string,
  serverId: string,
  unknown: 'refused' | 'new',
) => Promise<ServerView>;

/** A server may have 1,000 rules and 1,000 subscriptions. Explaining these takes some milliseconds. */
const MAX = { rules: 100, subscriptions: 10 };

/** Creates the view of a server. `chart` is the chart of its machine. */
export function createServerView(options: {
  readonly actors: Actors;
  readonly policy: Pick<Policy, 'tenants' | 'explain'>;
  readonly chart: StatechartView;
}): ShowServer {
  const { actors, policy, chart } = options;

  const shownNew = async (tenantId: string, serverId: string): Promise<ServerView> => {
    const { size } = (await policy.tenants.read(tenantId)).window;
    return {
      tenantId,
      serverId,
      state: 'unwatched',
      chart,
      revision: 0,
      factId: 0,
      lastFactAt: null,
      lastFactSource: null,
      windowsize: size,
      windows: Object.fromEntries(METRICS.map((metric) => [metric, { size, values: [], at: null }])),
      ruleCount: 0,
      rules: [],
    };
  };

  const shownKnown = async (tenantId: string, serverId: string): Promise<ServerView> => {
    const { explanations, rules: ruleCount } = await policy.explain.server(tenantId, serverId, MAX);
    const address = { kind: SERVER, tenant: tenantId, name: serverId };
    const [view, tenant] = await Promise.all([
      actors.read<ServerContext>(address),
      policy.tenants.read(tenantId),
    ]);
    // Gone since it was explained.
    if (view === undefined || !isKnown(view.context)) throw unknownServer(serverId);
    const { factId, origin, windows, ignored = {}, rules, subscriptions } = view.context;
    const { size } = tenant.window;
    const at = lastArrival(windows);
    return {
      tenantId,
      serverId,
      state: view.state as ServerState,
      chart,
      revision: view.revision,
      factId,
      lastFactAt: factId === 0 ? null : isoOf(at),
      lastFactSource: origin ?? null,
      windowsize: size,
      windows: Object.fromEntries(
        windowsByMetric(windows).map(([metric, window]) => [
          metric,
          {
            ...shownWindow(window, size, ofMetric(ignored, metric)),
            at: window.at === 0 ? null : isoOf(window.at),
          },
        ]),
      ),
      ruleCount,
      rules: explanations.flatMap((explanation) => {
        const rule = findRule(explanation.ruleId, rules, tenant.rules);
        if (rule === undefined) return [];
        const count = subscriptions.filter(({ ruleId }) => ruleId === rule.ruleId).length;
        return [shownRule(view.context, rule, count, explanation)];
      }),
    };
  };

  return (tenantId, serverId, unknown) =>
    unknown === 'refused'
      ? shownKnown(tenantId, serverId)
      : ifUnknown(shownKnown(tenantId, serverId), () => shownNew(tenantId, serverId));
}

/** Resolves with what `other` returns if `reading` is refused because the server is unknown. */
export async function ifUnknown<T>(reading: Promise<T>, other: () => T | Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not-found') return other();
    throw error;
  }
}

function shownRule(
  { address: { tenant }, rules, subscriptions: stored }: ServerContext,
  rule: Rule,
  subscriptionCount: number,
  { sentence, subscriptions }: Explanation,
): ServerRuleView {
  const { ruleId, name, condition, action } = rule;
  return {
    ruleId,
    name,
    generic: !rules.includes(rule),
    condition: condition as ConditionView,
    options: ruleOptionsOf(rule),
    action: { ...action },
    sentence: sentence ?? null,
    subscriptionCount,
    subscriptions: subscriptions.map((one) => ({
      ...one,
      receiverId: receiverId(tenant, one.url),
      form: formView(stored.find(({ id }) => id === one.subscriptionId) ?? {}),
    })),
  };
}

/** Returns a form without the body of its template. */
function formView(form: MessageForm): SubscriptionFormView {
  const { template, ...rest } = shownForm(form);
  return template === undefined ? rest : { ...rest, contentType: template.contentType };
}
