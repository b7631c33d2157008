import type { DeliveryView } from '../../../../src/console/shapes.js';
import type { MessageView } from '../../../../src/operator/shapes.js';
import { jsonOf } from '../../../../src/untrusted/json.js';
import { Code } from '../../ui/code.js';
import { DetailList, Section } from '../../ui/page.js';
import { Id, Prose } from '../../ui/text.js';

/** The message of a delivery as it is sent. */
export function Message({ delivery: { id, message } }: { readonly delivery: DeliveryView }) {
  if (message.channel === 'email') return <Mail message={message} />;
  return (
    <>
      <Section title={message.format === undefined ? 'Body' : `Sent as ${message.format}`}>
        <Code text={pretty(message.body)} label="Body of the message" />
      </Section>
      {message.template && (
        <Section title="Template">
          <Code text={message.template.body} label="Template of the body" />
        </Section>
      )}
      <Section title="Headers">
        <DetailList rows={message.channel === 'webhook' ? webhookHeaders(id, message) : MIRROR_HEADERS} />
      </Section>
    </>
  );
}

type SentMessage = Extract<MessageView, { channel: 'webhook' | 'mirror' }>;
type Headers = readonly (readonly [string, string])[];

const MIRROR_HEADERS: Headers = [['content-type', 'application/ld+json']];

function webhookHeaders(id: string, { format, headers = [], template }: SentMessage): Headers {
  const type = format === 'cloudevents' ? 'application/cloudevents+json' : 'application/json';
  return [
    ['content-type', template?.contentType ?? type],
    ...headers.map((name) => [name, 'a secret of the subscription'] as const),
    ['webhook-id', id],
    ['webhook-timestamp', 'the time of the attempt, in seconds since 1970'],
    ['webhook-signature', 'made at each attempt, with the secrets that sign then'],
  ];
}

function Mail({ message }: { readonly message: Extract<MessageView, { channel: 'email' }> }) {
  return (
    <Section title="Mail">
      <div class="panel mail-text">
        <h3>
          <Id text={message.subject} />
        </h3>
        {[message.headline, message.reason, message.body].map((text) => (
          <p>
            <Prose text={text} />
          </p>
        ))}
        <DetailList rows={message.facts.map(([label, value]) => [label, <Prose text={value} />] as const)} />
      </div>
    </Section>
  );
}

/** Returns JSON indented, any other text as it is. */
function pretty(text: string): string {
  const json = jsonOf(text);
  return json === undefined ? text : JSON.stringify(json, null, 2);
}
