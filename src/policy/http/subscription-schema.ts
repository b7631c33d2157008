import { lazy, mixed, type Schema, string } from 'yup';
import { MEDIA_TYPE } from '../../delivery/form/escaping.js';
import { FORMATS } from '../../delivery/form/formats.js';
import { isObject } from '../../untrusted/json.js';
import type { AskedSubscription } from '../subscriptions/subscriptions.js';
import { ID_PATTERN } from './path-ids.js';
import { bodyOf, exactly, NOT_AN_OBJECT, strictly, text } from './validate.js';

const RULE_ID_PATTERN = new RegExp(`^${ID_PATTERN}$`);
const RULE_ID = 'must be the id of a rule: 1 to 256 characters of A-Z a-z 0-9 _ -';
/** Maximum characters of a subscription's url. */
export const LONGEST_URL = 2_048;
const URL_TEXT = `must be a URL, a string of at most ${LONGEST_URL} characters`;

const FORMAT = `must be one of ${FORMATS.join(', ')}`;

/** Maximum number of headers of a subscription, and of the characters of a name and a value. */
export const HEADERS_LIMIT = 16;
export const LONGEST_HEADER_NAME = 128;
export const LONGEST_HEADER_VALUE = 4_096;
/** A token of RFC 9110. */
export const HEADER_NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** Printable characters, without a space at the beginning or the end: a receiver would remove it. */
export const HEADER_VALUE = '[!-~](?:[ -~]*[!-~])?';
const NAME_PATTERN = new RegExp(`^${HEADER_NAME}$`);
const VALUE_PATTERN = new RegExp(`^${HEADER_VALUE}$`);
/** Names of HTTP, of traces, and those that begin with `webhook-`: the service sets them. */
const OWNED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const HEADERS =
  `must be a JSON object of at most ${HEADERS_LIMIT} headers, each a string of 1 to ${LONGEST_HEADER_VALUE} printable ` +
  'characters of ASCII without a space at its ends';

/** Returns what is wrong with headers, without a value of them; undefined if nothing is. */
function faultOfHeaders(headers: unknown): string | undefined {
  if (!isObject(headers)) return HEADERS;
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_LIMIT) return HEADERS;
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    if (name.length > LONGEST_HEADER_NAME || !NAME_PATTERN.test(name))
      return `must have names of 1 to ${LONGEST_HEADER_NAME} characters of A-Z a-z 0-9 and !#$%&'*+.^_\`|~-`;
    const lower = name.toLowerCase();
    if (seen.has(lower)) return `must have each name once, in any case: ${name} is there twice`;
    if (OWNED.has(lower) || lower.startsWith('webhook-'))
      return `must not have ${name}: the service sets ${[...OWNED].join(', ')}, and all that begin with webhook-`;
    if (typeof value !== 'string' || value.length > LONGEST_HEADER_VALUE || !VALUE_PATTERN.test(value))
      return `must have a string of 1 to ${LONGEST_HEADER_VALUE} printable characters of ASCII, without a space at its ends, as ${name}`;
    seen.add(lower);
  }
  return undefined;
}

/** Maximum bytes of UTF-8 of the body of a template. */
export const TEMPLATE_LIMIT = 16_384;
/** Maximum characters of the Content-Type of a template. */
export const LONGEST_CONTENT_TYPE = 256;
const CONTENT_TYPE_PATTERN = new RegExp(`^${MEDIA_TYPE}$`);
const CONTENT_TYPE = `must be a media type, such as application/json, of at most ${LONGEST_CONTENT_TYPE} characters`;
const TEMPLATE_BODY = `must be a string of Mustache, not empty, of at most ${TEMPLATE_LIMIT} bytes`;
const template = exactly({
  contentType: text(CONTENT_TYPE)
    .max(LONGEST_CONTENT_TYPE, CONTENT_TYPE)
    .matches(CONTENT_TYPE_PATTERN, CONTENT_TYPE),
  body: text(TEMPLATE_BODY).test(
    'bytes',
    TEMPLATE_BODY,
    (value) => value === undefined || Buffer.byteLength(value) <= TEMPLATE_LIMIT,
  ),
})
  .default(undefined)
  .nonNullable(NOT_AN_OBJECT);

/** Reads a value of a header as it is checked. */
type ReadValue = (value: unknown) => unknown;

function headersSchema(read: ReadValue) {
  return lazy((value: unknown) => {
    const values = isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, read(one)]))
      : value;
    const fault = value === undefined ? undefined : faultOfHeaders(values);
    return strictly(mixed(), HEADERS).test('headers', fault ?? HEADERS, () => fault === undefined);
  });
}

/** The members of a subscription beside its rule. `read`: of values of headers that are not yet as they are sent. */
export function targetShape(read: ReadValue = (value) => value) {
  return {
    url: text(URL_TEXT).max(LONGEST_URL, URL_TEXT),
    format: strictly(string(), FORMAT).oneOf(FORMATS, FORMAT),
    headers: headersSchema(read),
    template,
  };
}

/** Returns the schema of a subscription, which has a template with the format `template` alone. */
export function withTemplate<S extends Schema>(schema: S): S {
  return schema.test(
    'template',
    'must have template with the format template, and with no other',
    (value: unknown) =>
      !isObject(value) || (value['format'] === 'template') === (value['template'] !== undefined),
  );
}

/** Operation 15. The route checks whether the url may be called. */
export const subscriptionDraft = withTemplate(
  bodyOf<AskedSubscription>({
    ruleId: text(RULE_ID).matches(RULE_ID_PATTERN, RULE_ID),
    ...targetShape(),
  }),
);
