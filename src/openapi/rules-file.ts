import { METRIC_NAME_PATTERN } from '../config/metrics.js';
import { LONGEST_GAP_S } from '../policy/http/backtest-body.js';
import { COMPARISONS_LIMIT, DEPTH_LIMIT } from '../policy/http/condition-schema.js';
import { LARGEST_WINDOW_SIZE } from '../policy/http/offline-backtest.js';
import { ID_PATTERN } from '../policy/http/path-ids.js';
import { SERVER_ID_PATTERN } from '../policy/server/server-id.js';
import { METRICS } from '../policy/rules/metrics.js';
import { formMembers } from './policy/forms.js';
import { isoTime } from './policy/mute.js';
import { policySchemas } from './policy/schemas.js';
import { about, integer, list, object, oneOf, ref, type Schema, someText, text } from './schema.js';

const metricName = `^(?:${METRICS.join('|')}|${METRIC_NAME_PATTERN})$`;
const serverId: Schema = { type: 'string', pattern: `^${SERVER_ID_PATTERN}$` };
const url = (policySchemas['SubscriptionDraft'] as { properties: { url: Schema } }).properties.url;
const windowsize = integer(1, LARGEST_WINDOW_SIZE);

/** Returns a schema of the API with another name in place of a reference. */
function renamed(schema: Schema, name: string, other: string): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(JSON.stringify(ref(name)), JSON.stringify(ref(other))),
  ) as Schema;
}

/** Returns the name of the schema of a condition within so many others. */
function conditionAt(depth: number): string {
  return depth === 0 ? 'Condition' : `Condition${depth}`;
}

/** The schemas of conditions by name. The API says in words how deep they nest, here a schema for each depth does. */
function conditions(): Readonly<Record<string, Schema>> {
  const atDepth = (depth: number): Schema =>
    depth === DEPTH_LIMIT
      ? ref('Comparisons')
      : renamed(policySchemas['Condition']!, 'Condition', conditionAt(depth + 1));
  return Object.fromEntries(
    Array.from({ length: DEPTH_LIMIT + 1 }, (_, depth) => [conditionAt(depth), atDepth(depth)]),
  );
}

/** A rule of the API, with its subscriptions. */
function ruleWith(subscription: Schema, description: string): Schema {
  const rule = policySchemas['RuleDraft'] as { readonly properties: Readonly<Record<string, Schema>> };
  const subscriptions = about(description, list(subscription));
  return { ...rule, properties: { ...rule.properties, subscriptions } };
}

function definitions(): Readonly<Record<string, Schema>> {
  const { Comparison, Comparisons, Action, EmailAction, ScaleAction } = policySchemas;
  const comparison = Comparison as { readonly properties: Readonly<Record<string, Schema>> };
  return {
    Rule: ruleWith(
      object({ servers: list(serverId, { minItems: 1 }), url, ...formMembers }),
      'All subscriptions of the rule. Without this member, they stay as they are.',
    ),
    ServerRule: ruleWith(
      object({ url, ...formMembers }),
      'All subscriptions of the rule on its server. Without this member, they stay as they are.',
    ),
    ...conditions(),
    Comparisons: {
      ...Comparisons,
      propertyNames: { pattern: metricName },
      additionalProperties: ref('OtherComparison'),
      description: `All must hold. A condition has at most ${COMPARISONS_LIMIT}.`,
    },
    Comparison: comparison,
    OtherComparison: {
      ...comparison,
      properties: { ...comparison.properties, value: { type: 'number' } },
    },
    Action: Action!,
    EmailAction: EmailAction!,
    ScaleAction: ScaleAction!,
    Test: object({
      rule: about('The name of a rule of the files.', someText),
      'server?': about('The server whose rule it is. Without it, the rule is one of the tenant.', serverId),
      csv: about('A CSV file with a header, relative to this file.', someText),
      time: about('The column of the times.', someText),
      metrics: {
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: metricName, not: { const: 'at' } },
        additionalProperties: text,
        description: 'By metric, the column with its values.',
      },
      'windowsize?': windowsize,
      'gap?': about('A longer pause, in seconds, empties a window; 0 never does.', integer(0, LONGEST_GAP_S)),
      'expect?': about('The expected result. Absent members are not compared.', ref('Expected')),
    }),
    Expected: object({
      'firings?': integer(0, Number.MAX_SAFE_INTEGER),
      'held?': about('Seconds for which the condition held.', { type: 'number', minimum: 0 }),
      'evaluations?': integer(0, Number.MAX_SAFE_INTEGER),
      'messages?': about(
        'All messages in order.',
        list(object({ state: oneOf(['firing', 'resolved', 'noData']), at: isoTime })),
      ),
    }),
  };
}

/**
 * Returns the JSON Schema (2020-12) of a file of rules, from the schemas of the API. It takes some files that `mirzam rules` refuses:
 * those with a template and another format, with headers that the service sets, with too many comparisons, with `clear` on the wrong side of `value`, with a day that its month lacks, with a name
 * twice, or with tests of rules that they lack.
 */
export function rulesFileSchema(): Schema {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Rules of Mirzam',
    description: 'Rules and subscriptions of a tenant, for "mirzam rules".',
    ...object({
      'tenant?': about('The id or the name of the tenant.', { type: 'string', pattern: `^${ID_PATTERN}$` }),
      'windowsize?': about('The number of values in a full window.', windowsize),
      'rules?': about('The rules of the tenant.', list(ref('Rule'))),
      'servers?': {
        type: 'object',
        propertyNames: serverId,
        additionalProperties: object({ 'rules?': list(ref('ServerRule')) }),
        description: 'By id of a server, its own rules.',
      },
      'tests?': about('Series of measurements, to try the rules on.', list(ref('Test'))),
    }),
    $defs: definitions(),
  };
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"#/$defs/')) as Schema;
}
