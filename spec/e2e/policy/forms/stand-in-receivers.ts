import { Ajv, type ValidateFunction } from 'ajv';
import type { Got } from '../../../delivery/senders/receiver.js';

const text = (maxLength: number, minLength = 1) => ({ type: 'string', minLength, maxLength });
const link = { type: 'string', pattern: '^https?://[^ ]+$', maxLength: 2_000 };
const closed = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const only = (items: object) => ({ type: 'array', items, minItems: 1 });
const plainText = (most: number) => closed({ type: { const: 'plain_text' }, text: text(most) });
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' };
const colour = { type: 'string', pattern: '^#[0-9a-f]{6}$' };

/** What each receiver takes, as far as its documentation limits the members that a template uses. */
const BODIES: Readonly<Record<string, object>> = {
  Slack: closed({
    text: text(40_000),
    mrkdwn: { type: 'boolean' },
    blocks: only({
      oneOf: [
        closed({ type: { const: 'header' }, text: plainText(150) }),
        closed({ type: { const: 'section' }, text: plainText(3_000) }),
        closed({
          type: { const: 'actions' },
          elements: only(closed({ type: { const: 'button' }, text: plainText(75), url: link })),
        }),
      ],
    }),
  }),
  Teams: closed({
    type: { const: 'message' },
    attachments: only(
      closed({
        contentType: { const: 'application/vnd.microsoft.card.adaptive' },
        contentUrl: { type: 'null' },
        content: closed({
          $schema: link,
          type: { const: 'AdaptiveCard' },
          version: { enum: ['1.2', '1.3', '1.4', '1.5'] },
          body: only(
            closed(
              {
                type: { const: 'TextBlock' },
                text: text(28_000),
                size: { enum: ['small', 'default', 'medium', 'large', 'extraLarge'] },
                weight: { enum: ['lighter', 'default', 'bolder'] },
                color: { enum: ['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention'] },
                wrap: { type: 'boolean' },
              },
              ['size', 'weight', 'color', 'wrap'],
            ),
          ),
          actions: only(closed({ type: { const: 'Action.OpenUrl' }, title: text(100), url: link })),
        }),
      }),
    ),
  }),
  Mattermost: closed({
    attachments: only(
      closed({
        fallback: text(7_600),
        color: colour,
        title: text(7_600),
        title_link: link,
        text: text(7_600),
      }),
    ),
  }),
  Discord: closed({
    allowed_mentions: closed({ parse: { type: 'array', items: { enum: ['roles', 'users', 'everyone'] } } }),
    embeds: only(
      closed({
        title: text(256),
        url: link,
        description: text(4_096),
        color: { type: 'integer', minimum: 0, maximum: 0xff_ff_ff },
        timestamp: time,
      }),
    ),
  }),
  Telegram: closed({
    chat_id: { type: ['string', 'integer'], minLength: 1 },
    text: text(4_096),
    disable_notification: { type: 'boolean' },
    link_preview_options: closed({ is_disabled: { type: 'boolean' } }),
  }),
  PagerDuty: closed({
    routing_key: text(32),
    event_action: { enum: ['trigger', 'acknowledge', 'resolve'] },
    dedup_key: text(255),
    client: text(255),
    client_url: link,
    payload: closed({
      summary: text(1_024),
      source: text(1_024),
      severity: { enum: ['critical', 'error', 'warning', 'info'] },
      timestamp: time,
      class: text(1_024),
      custom_details: { type: 'object' },
    }),
  }),
  Opsgenie: closed({
    message: text(130),
    alias: text(512),
    description: text(15_000),
    entity: text(512),
    source: text(100),
    priority: { enum: ['P1', 'P2', 'P3', 'P4', 'P5'] },
    details: { type: 'object', additionalProperties: text(8_000) },
  }),
  ntfy: closed({
    topic: { type: 'string', pattern: '^[-_A-Za-z0-9]{1,64}$' },
    title: text(250),
    message: text(4_096),
    priority: { type: 'integer', minimum: 1, maximum: 5 },
    tags: only(text(64)),
    click: link,
  }),
  Apprise: closed({
    title: text(250, 0),
    body: text(32_768),
    type: { enum: ['info', 'success', 'warning', 'failure'] },
    format: { enum: ['text', 'markdown', 'html'] },
  }),
};

/** The credentials that receivers want in a header. */
const CREDENTIALS: Readonly<Record<string, RegExp>> = { Opsgenie: /^GenieKey \S+$/, ntfy: /^Bearer \S+$/ };

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const compiled = new Map<string, ValidateFunction>();

/** Returns why the receiver that the path of a request names refuses it; undefined: it takes it. */
export function faultAtReceiver({ url, headers, body }: Got): string | undefined {
  const name = url.slice(1);
  const schema = BODIES[name];
  if (schema === undefined) return `${name}: there is no such receiver`;
  if (headers['content-type'] !== 'application/json')
    return `${name}: content-type ${headers['content-type']}`;
  const credentials = CREDENTIALS[name];
  if (credentials !== undefined && !credentials.test(headers.authorization ?? ''))
    return `${name}: authorization ${headers.authorization}`;
  const validate = compiled.get(name) ?? ajv.compile(schema);
  compiled.set(name, validate);
  return validate(JSON.parse(body)) ? undefined : `${name}: ${ajv.errorsText(validate.errors)}`;
}
