import { alertsUrl } from '../../delivery/form/posted-alerts.js';
import { pagePath, titleOf } from '../alerts/alert-messages.js';
import { explainedAt, explainSubscription } from '../explain/explanation.js';
import { quietOfRule, quietOfServer } from '../quiet/matching.js';
import { type OWN_LABELS, findRule, isEmail, type Rule } from '../rules/rule.js';
import { compiled } from '../rules/compiled.js';
import { deliveryOfPeriod, isToAlertmanager } from '../server/alert-changes.js';
import type { ServerContext } from '../server/server-context.js';
import { reportedSince, stateFrom } from '../state/subscription-state.js';
import { isSuppressed, type Subscription } from '../state/subscription.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { type Alert, type AlertContext, isSameAlert, type Sight } from './alert-machine.js';

/** What a sight is of. */
export interface Seen {
  readonly server: ServerContext;
  readonly tenant: TenantView;
  readonly subscriptionId: string;
  /** What the Alertmanager knows of it. */
  readonly known: Pick<AlertContext, 'firing' | 'target'>;
  /** ms since the epoch. */
  readonly now: number;
  /** The address of the service for people. */
  readonly publicUrl: string;
}

/** Returns what an Alertmanager is to know of a subscription. It fires from the first firing that is sent to its end. */
export function sightOf(of: Seen): Sight {
  const { server, tenant, subscriptionId, now, publicUrl } = of;
  const index = server.subscriptions.findIndex(({ id }) => id === subscriptionId);
  const subscription = server.subscriptions[index];
  const rule = subscription && findRule(subscription.ruleId, server.rules, tenant.rules);
  const isShared = hasSame(of);
  if (subscription === undefined || rule === undefined)
    return { firing: undefined, suppressed: false, isShared, annotations: undefined };
  const { tenant: tenantId, name: serverId } = server.address;
  const quiet = quietOfRule(quietOfServer(tenant.quiet, serverId), rule.name);
  const current = stateFrom(server.states[index]);
  const since = current?.condition === compiled(rule.condition).key ? reportedSince(current) : undefined;
  const at = explainedAt(server, tenant, new Map(), now);
  const { sentence } = explainSubscription(at, rule, { subscription, current });
  const annotations = {
    summary: titleOf(since === undefined ? 'resolved' : 'firing', rule.name, serverId),
    description: sentence,
    ...(isEmail(rule.action) && rule.action.body !== '' ? { body: rule.action.body } : {}),
    subscription_id: subscriptionId,
  };
  const suppressed = isSuppressed({ subscription, quiet }, now);
  const first = current?.reported?.firings[0];
  if (since === undefined || first === undefined)
    return { firing: undefined, suppressed, isShared, annotations };
  const alert: Alert = {
    labels: labelsOf(rule, tenantId, serverId),
    annotations,
    generatorUrl: `${publicUrl}${pagePath(tenantId, serverId)}`,
    startsAt: since,
  };
  const delivery = { id: deliveryOfPeriod(server.address, subscriptionId, first), factId: first.factId };
  return { suppressed, isShared, annotations, firing: { alert, target: targetOf(subscription), delivery } };
}

/**
 * True if another subscription of the server fires with the same labels at the same Alertmanager: such as the one that takes the place
 * of one with older headers.
 */
function hasSame({ server, tenant, subscriptionId, known }: Seen): boolean {
  const { firing, target } = known;
  if (firing === undefined || target === undefined) return false;
  return server.subscriptions.some((one, index) => {
    if (one.id === subscriptionId || !isToAlertmanager(one)) return false;
    const rule = findRule(one.ruleId, server.rules, tenant.rules);
    const current = stateFrom(server.states[index]);
    if (rule === undefined || current === undefined || reportedSince(current) === undefined) return false;
    const labels = labelsOf(rule, server.address.tenant, server.address.name);
    return alertsUrl(one.url) === alertsUrl(target.url) && isSameAlert({ labels }, firing);
  });
}

/** The labels that say what an alert is of are the service's own, whatever labels the rule has. */
function labelsOf({ name, ruleId, labels }: Rule, tenant: string, server: string): Alert['labels'] {
  const own: Record<(typeof OWN_LABELS)[number], string> = {
    alertname: name,
    tenant,
    server,
    rule_id: ruleId,
  };
  return { ...labels, ...own };
}

function targetOf({ url, headers }: Subscription) {
  return headers === undefined ? { url } : { url, headers };
}
