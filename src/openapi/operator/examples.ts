import {
  busy,
  DELIVERY,
  RECEIVER,
  SERVER,
  SERVER_RULE,
  SUBSCRIPTION,
  TENANT_ID,
} from '../policy/examples.js';

const at = '2026-01-31T12:00:00.000Z';

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

/** Returns the delivery of the examples' firing, which its receiver has refused so often. */
export function refused(times: number): object {
  return {
    id: DELIVERY,
    tenant: TENANT_ID,
    server: SERVER,
    subscriptionId: SUBSCRIPTION,
    state: 'dead',
    channel: 'webhook',
    to: RECEIVER,
    since: at,
    nextAttemptAt: null,
    attempts: Array.from({ length: times }, () => ({
      at,
      result: 'refused',
      detail: '400 in 22 ms: no such hook',
    })),
    message: { channel: 'webhook', url: RECEIVER, body },
  };
}
