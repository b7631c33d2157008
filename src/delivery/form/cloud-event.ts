import type { MessageContent } from './formats.js';

/** The members of a message that an event needs. A test message has neither server nor state. */
interface MessageBody {
  readonly type?: string;
  readonly tenantId: string;
  readonly serverId?: string;
  readonly state?: string;
  readonly firedAt?: string;
  readonly sentAt?: string;
}

/**
 * Returns a message as an event of CloudEvents 1.0.2 in structured mode. `id`: the webhook-id. `body`: the message as JSON text,
 * which is the data of the event.
 */
export function cloudEvent(id: string, body: string): MessageContent {
  const { type, tenantId, serverId, state = 'firing', firedAt, sentAt } = JSON.parse(body) as MessageBody;
  const event = {
    specversion: '1.0',
    id,
    source: `/v1.0/${tenantId}${serverId === undefined ? '' : `/servers/${serverId}`}`,
    type: `org.mirzam.${type ?? `rule.${state}`}`,
    ...(serverId === undefined ? {} : { subject: serverId }),
    time: firedAt ?? sentAt,
    datacontenttype: 'application/json',
  };
  const attributes = JSON.stringify(event).slice(0, -1);
  return { contentType: 'application/cloudevents+json', body: `${attributes},"data":${body}}` };
}
