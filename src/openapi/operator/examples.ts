import { HTML_PAGE } from '../operation.js';
import {
  busy,
  DELIVERY,
  EXAMPLE_TIME,
  full,
  FULL_DELIVERY,
  FULL_SERVER,
  FULL_SUBSCRIPTION,
  MUTE_TOKEN,
  RECEIVER,
  RECEIVER_ID,
  SERVER,
  SERVER_RULE,
  SERVICE,
  SUBSCRIPTION,
  TENANT,
  TENANT_ID,
} from '../policy/examples.js';

const at = EXAMPLE_TIME;
/** The sentence of explain for the rule of the examples' e-mail. */
const HOLDS = `Holds since ${at.replace(/\.\d+Z$/, 'Z')}: the mean of hdd is 93.1667, greater than 90.`;

/** The body of the webhook. */
const body = JSON.stringify({
  action: 'scaleDown',
  serverId: SERVER,
  id: DELIVERY,
  factId: 3,
  tenantId: TENANT_ID,
  ruleId: SERVER_RULE,
  ruleName: busy.name,
  actionName: busy.action.actionName,
  subscriptionId: SUBSCRIPTION,
  measures: { cpu: 93.16666666666667, mem: 76 },
  condition: busy.condition,
  firedAt: at,
});

/** The id of the delivery of the examples' e-mail. */
export const MAIL_DELIVERY = `${FULL_DELIVERY}_mail`;

/** The delivery of the examples' e-mail. */
export const mailed = {
  id: MAIL_DELIVERY,
  tenant: TENANT_ID,
  server: FULL_SERVER,
  subscriptionId: FULL_SUBSCRIPTION,
  state: 'delivered',
  channel: 'email',
  to: full.action.email,
  since: at,
  nextAttemptAt: null,
  waitsFor: null,
  attempts: [{ at, result: 'delivered', detail: '250 OK: message queued in 21 ms' }],
  message: {
    channel: 'email',
    to: full.action.email,
    state: 'firing',
    subject: `disk nearly full on ${FULL_SERVER}`,
    headline: `disk nearly full fires on ${FULL_SERVER}.`,
    reason: HOLDS,
    body: full.action.body,
    series: [
      {
        metric: 'hdd',
        values: [91, 92.5, 96],
        size: 3,
        thresholds: [90],
        clears: [],
        percent: true,
      },
    ],
    facts: [
      ['Server', FULL_SERVER],
      ['Tenant', TENANT],
      ['Rule', 'disk nearly full'],
      ['Condition', 'hdd > 90'],
      ['Mean of hdd', '93.17 %'],
      ['When', at],
      ['Fact', '3'],
      ['Where to look', `${SERVICE}/console/servers/${TENANT_ID}/${FULL_SERVER}`],
    ],
    muteUrl: `${SERVICE}/mute/${MUTE_TOKEN}`,
  },
};

/** The examples' e-mail in the inbox. Its headers are some of those that it has. */
export const mail = {
  id: '935777af-13a1-4f33-9c2f-aeed9e80fe01',
  from: 'mirzam@localhost',
  to: mailed.to,
  subject: mailed.message.subject,
  receivedAt: at,
  text: `${mailed.message.headline}\n\n${mailed.message.body}\n\n${HOLDS}\n…`,
  html: HTML_PAGE,
  headers: {
    'list-unsubscribe': `<${mailed.message.muteUrl}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
  },
};

/** Returns the delivery of the examples' firing, which its receiver has refused so often. */
export function refused(times: number) {
  return {
    id: DELIVERY,
    tenant: TENANT_ID,
    server: SERVER,
    subscriptionId: SUBSCRIPTION,
    state: 'dead',
    channel: 'webhook',
    to: RECEIVER,
    receiverId: RECEIVER_ID,
    since: at,
    nextAttemptAt: null,
    waitsFor: null,
    attempts: Array.from({ length: times }, () => ({
      at,
      result: 'refused',
      detail: '400 in 22 ms: no such hook',
    })),
    message: { channel: 'webhook', url: RECEIVER, body },
  };
}
