import type {
  FleetComparison,
  FleetMarks,
  FleetServer,
  FleetView,
  RulesStatusView,
  RuleStatus,
} from '../../policy/fleet/shapes.js';
import { FLEET_SORTS } from '../../policy/fleet/fleet-walk.js';
import { FLEET_LIMIT, FLEET_LIMIT_MAX, RULES_PAGE } from '../../policy/http/fleet-query.js';
import { OPERANDS } from '../../policy/rules/condition.js';
import { SERVER_STATES } from '../../policy/server/server-machine.js';
import { STATE_NAMES } from '../../policy/state/subscription-state.js';
import { type ApiPart, json, query } from '../operation.js';
import {
  about,
  count,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  time,
  varies,
} from '../schema.js';
import { after, next, ofNamedTenant, operatorPart, policyPart, TENANT_ALONE } from '../apis.js';
import { EXAMPLE_TIME, GENERIC_RULE, SERVER, SERVER_RULE, SUBSCRIPTION, TENANT_ID } from './examples.js';

const schemas: Readonly<Record<string, Schema>> = {
  FleetServer: shape<FleetServer>({
    tenantId: varies(text),
    serverId: text,
    state: about('The worst state of its subscriptions.', oneOf(SERVER_STATES)),
    since: about(
      'Since when the condition holds. With `noData` the time of the last measurement. null in other states.',
      orNull(time),
    ),
    rule: about('The rule of the worst subscription.', orNull(object({ id: ref('Id'), name: text }))),
    subscriptionId: about('The worst subscription.', orNull(ref('Id'))),
    sentence: about('The sentence of explain.', orNull(text)),
    labels: about('Of that rule.', { type: 'object', additionalProperties: text }),
    comparison: about(
      'The first comparison of that rule that holds, or its first one.',
      orNull(ref('FleetComparison')),
    ),
    lastFact: orNull(object({ id: count, at: time })),
    marks: about(
      'Numbers of its subscriptions.',
      shape<FleetMarks>({ muted: count, suspended: count, acknowledged: count }),
    ),
    waiting: about('Messages of its subscriptions that wait for delivery.', count),
    dead: about('Messages of its subscriptions that are dead letters.', count),
  }),
  FleetComparison: shape<FleetComparison>({
    metric: text,
    result: about('null before the first evaluation.', orNull(number)),
    operand: oneOf(OPERANDS),
    value: number,
  }),
  RulesStatus: shape<RulesStatusView>({
    rules: list(ref('RuleStatus')),
    next,
  }),
  RuleStatus: shape<RuleStatus>({
    tenantId: varies(text),
    serverId: about('The server whose own rule it is. null for a rule of the tenant.', orNull(text)),
    ruleId: ref('Id'),
    name: text,
    labels: about('Of the rule.', { type: 'object', additionalProperties: text }),
    states: about(
      'Numbers of servers by the worst state of their subscriptions of the rule.',
      object(Object.fromEntries(STATE_NAMES.map((state) => [state, count]))),
    ),
  }),
  Fleet: shape<FleetView>({
    servers: list(ref('FleetServer')),
    next,
  }),
};

const ORDER =
  'The worst first: `firing`, `noData`, `pending`, `filling`, `calm`, `unwatched`. In a state the oldest first. Of the subscriptions ' +
  'of a server the worst is shown: by its state, then by the label `severity` of its rule (critical, warning, info, any other word, ' +
  'none), then the oldest. A search by `rule`, `label` or `query` may end a page early, or leave it empty. `next` leads to the next one.';

const filters = [
  query('state', oneOf(SERVER_STATES)),
  query('rule', text, 'The id or the name of the rule of a subscription.'),
  query('label', text, 'NAME=VALUE, a label of the rule of a subscription.'),
  query(
    'query',
    text,
    'A part of the id of the server, or of the name of the rule of a subscription, in any case.',
  ),
  query('sort', oneOf(FLEET_SORTS), 'Default `state`. `since`: the oldest first. `name`: by tenant and id.'),
  after,
  query('limit', integer(1, FLEET_LIMIT_MAX), `Default ${FLEET_LIMIT}.`),
];

const row = {
  tenantId: TENANT_ID,
  serverId: SERVER,
  state: 'calm',
  since: null,
  rule: { id: SERVER_RULE, name: 'busy' },
  subscriptionId: SUBSCRIPTION,
  sentence: 'Does not hold: the mean of cpu is 66.1667, not greater than 85.',
  labels: {},
  comparison: { metric: 'mem', result: 76, operand: 'greater equal', value: 70 },
  lastFact: { id: 4, at: EXAMPLE_TIME },
  marks: { muted: 0, suspended: 0, acknowledged: 0 },
  waiting: 0,
  dead: 1,
};
const examples = { busy: { parameters: { rule: 'busy' }, answer: { servers: [row], next: null } } };

const RULES =
  'The rules of the tenant, then those rules of its servers that have subscriptions. It may be a second behind.';
const states = { firing: 1, noData: 0, pending: 0, filling: 0, calm: 0 };
const rulesPage = [after, query('limit', integer(1, RULES_PAGE), `Default ${RULES_PAGE}.`)];
const rulesExamples = {
  first: {
    parameters: { limit: 1 },
    answer: {
      rules: [
        {
          tenantId: TENANT_ID,
          serverId: null,
          ruleId: GENERIC_RULE,
          name: 'disk nearly full',
          labels: {},
          states,
        },
      ],
      next: 'WyJydWxlcyIsIjBiMmYzYzRkNWU2ZjcwODE5MmEzYjRjNWQ2ZTdmODA5Il0',
    },
  },
};

/** The servers of a tenant with what is wrong. */
export const fleet: ApiPart = policyPart(
  'Fleet',
  'The servers of the tenant, with their states and the reasons.',
  {
    'GET /v1.0/{tenantId}/fleet': {
      id: 'listFleet',
      access: TENANT_ALONE,
      summary: 'List the servers, the worst first',
      description: ORDER,
      parameters: filters,
      answer: json(ref('Fleet')),
      examples,
    },
    'GET /v1.0/{tenantId}/rules-status': {
      id: 'listRulesStatus',
      access: TENANT_ALONE,
      summary: 'List the rules with the states of their servers',
      description: RULES,
      parameters: rulesPage,
      answer: json(ref('RulesStatus')),
      examples: rulesExamples,
    },
  },
  schemas,
);

/** The servers of all tenants, with their states and the reasons. */
export const operatorFleet: ApiPart = operatorPart(
  'Operator: fleet',
  'The servers of all tenants, with their states and the reasons.',
  {
    'GET /operator/servers': {
      id: 'listFleetOfAll',
      summary: 'List the servers of all tenants, the worst first',
      description: ORDER,
      parameters: [ofNamedTenant, ...filters],
      answer: json(ref('Fleet')),
      examples,
    },
    'GET /operator/rules': {
      id: 'listRulesOfAll',
      summary: 'List the rules of all tenants with the states of their servers',
      description: RULES,
      parameters: [ofNamedTenant, ...rulesPage],
      answer: json(ref('RulesStatus')),
      examples: rulesExamples,
    },
  },
);
