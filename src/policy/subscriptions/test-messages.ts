import { contextIn } from '../../actors/behavior.js';
import { formOf } from '../../delivery/form/formats.js';
import type { WebhookMessage } from '../../delivery/port.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Store } from '../../store/port.js';
import { sampleAlerts } from '../alerts/sample-alerts.js';
import { webhookOf } from '../alerts/alert-messages.js';
import { findRule, type Rule } from '../rules/rule.js';
import type { ServerContext } from '../server/server-context.js';
import { SERVER, SERVER_VERSION } from '../server/server-kind.js';
import type { Subscription } from '../state/subscription.js';
import type { Tenants } from '../tenant/tenants.js';
import { isoOf } from '../../system/iso.js';

/** Makes the test message to a url of a tenant. `at`: ms since the epoch. */
export type TestMessages = ReturnType<typeof createTestMessages>;

/** A subscription to the url, its rule and its server. */
interface Found {
  readonly subscription: Subscription;
  readonly rule: Rule;
  readonly serverId: string;
}

/** Servers that one read of the store returns. */
const PAGE = 500;
/** Servers after which the search ends. */
const SEARCHED = 10_000;
const TITLE = 'Test message of Mirzam';
const SENTENCE = 'This is a test message of Mirzam. Nothing fires.';

/**
 * Makes the messages that test receivers. A receiver has one url, and its subscriptions may have several forms: a test is sent as the
 * newest one has it, with its headers. Without one, it is that of the format `mirzam`.
 */
export function createTestMessages(options: {
  /** Without the documents that this service cannot read. */
  readonly store: Pick<Store, 'list'>;
  readonly tenants: Pick<Tenants, 'committed'>;
  readonly publicUrl: () => string;
}) {
  const { store, tenants, publicUrl } = options;

  const newest = async (tenantId: string, url: string): Promise<Found | undefined> => {
    const { rules: generic } = await tenants.committed(tenantId);
    const text = JSON.stringify(url);
    let found: Found | undefined;
    let searched = 0;
    for await (const page of pages((after) =>
      store.list({ kind: SERVER, tenant: tenantId, after, limit: PAGE }),
    )) {
      for (const listed of page) {
        if (listed.version > SERVER_VERSION || !listed.rare.includes(text)) continue;
        const { rules, subscriptions } = contextIn(listed) as ServerContext;
        for (const subscription of subscriptions) {
          const rule = findRule(subscription.ruleId, rules, generic);
          if (subscription.url !== url || rule === undefined) continue;
          if (subscription.at > (found?.subscription.at ?? -Infinity))
            found = { subscription, rule, serverId: addressOf(listed.id).name };
        }
      }
      searched += page.length;
      if (searched >= SEARCHED) return found;
    }
    return found;
  };

  return async (tenantId: string, url: string, id: string, at: number): Promise<WebhookMessage> =>
    testMessageOf(await newest(tenantId, url), { tenantId, url, id, at, publicUrl: publicUrl() });
}

/** Returns a test message in the form of a subscription, which need not be there yet; undefined: `mirzam`. */
export function testMessageOf(
  found: Found | undefined,
  of: {
    readonly tenantId: string;
    readonly url: string;
    readonly id: string;
    /** ms since the epoch. */
    readonly at: number;
    readonly publicUrl: string;
  },
): WebhookMessage {
  const { tenantId, url, id, at, publicUrl } = of;
  const sentAt = isoOf(at);
  const plain = JSON.stringify({ type: 'test', id, tenantId, sentAt });
  const form = found === undefined ? {} : formOf(found.subscription);
  const message = { channel: 'webhook', url, body: plain, ...form } as const;
  if (found === undefined || message.format === undefined || message.format === 'cloudevents') return message;
  if (message.format === 'alertmanager') {
    // It is over as it comes: an Alertmanager takes it, and tells nobody.
    const labels = { alertname: 'MirzamTest', tenant: tenantId };
    const alert = { labels, annotations: { summary: SENTENCE }, startsAt: sentAt, endsAt: sentAt };
    return { ...message, body: JSON.stringify([alert]), resendMs: 1 };
  }
  const { subscription, rule, serverId } = found;
  const [sample] = sampleAlerts(rule, subscription, { tenantId, serverId, now: at });
  const { body, words } = webhookOf(sample!, id, publicUrl);
  return { ...message, body, words: { ...words!, title: TITLE, sentence: SENTENCE } };
}
