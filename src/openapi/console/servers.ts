import type {
  ServerRowView,
  ServerRuleView,
  ServersView,
  ServerView,
  StatechartView,
} from '../../console/shapes.js';
import type { HistoryView } from '../../policy/explain/shapes.js';
import { HISTORY, HISTORY_MAX } from '../../policy/http/routes.js';
import { speaking } from '../policy/schemas.js';
import { METRICS } from '../../policy/rules/metrics.js';
import { SERVER_STATES } from '../../policy/server/server-machine.js';
import { type ApiPart, json, query } from '../operation.js';
import { FULL_SERVER, SERVER, TENANT_ID } from '../policy/examples.js';
import {
  about,
  count,
  flag,
  integer,
  list,
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
import { after, limit, ofTenant } from '../operator/part.js';
import { fullServer, gotFull } from './examples.js';
import { consolePart } from './part.js';

const one = { tenant: TENANT_ID, server: FULL_SERVER };

const row: { readonly [K in keyof ServerRowView]-?: Schema } = {
  tenantId: varies(text),
  serverId: text,
  state: oneOf(SERVER_STATES),
};

const schemas: Readonly<Record<string, Schema>> = {
  ServersView: shape<ServersView>({
    servers: list(ref('ServerRowView')),
    next: about('The `after` of the next page. null on the last one.', orNull(varies(text))),
  }),
  ServerRowView: shape<ServerRowView>(row),
  ServerView: shape<ServerView>({
    ...row,
    chart: shape<StatechartView>({
      states: list(text),
      transitions: list(shape<StatechartView['transitions'][number]>({ from: text, to: text })),
    }),
    revision: varies(count),
    factId: count,
    lastFactAt: orNull(time),
    windowsize: count,
    windows: object(Object.fromEntries(METRICS.map((metric) => [metric, ref('ExplainedWindow')]))),
    ruleCount: count,
    rules: about('The first 100.', list(ref('ServerRuleView'))),
  }),
  ServerRuleView: shape<ServerRuleView>({
    ruleId: ref('Id'),
    name: text,
    generic: about('True for a rule of the tenant.', flag),
    condition: ref('Condition'),
    speaking: object(speaking, Object.keys(speaking)),
    action: ref('Action'),
    sentence: about('Only if there is no subscription.', orNull(text)),
    subscriptionCount: count,
    subscriptions: about('The first 10.', list(ref('ExplainedSubscription'))),
  }),
  HistoryView: shape<HistoryView>({ history: list(ref('Transition')) }),
};

/** The console's views of servers. */
export const serverViews: ApiPart = consolePart(
  'Console: servers',
  'Servers with their windows, rules and subscriptions. A tenant sees its own alone.',
  {
    'GET /console/api/servers': {
      id: 'findServers',
      summary: 'Find servers by id, tenant and state',
      description: 'In the order of tenant and id. A page may be short or empty with `next` set.',
      parameters: [
        query('query', text, 'A part of the id.'),
        ofTenant,
        query('state', oneOf(SERVER_STATES)),
        limit,
        after,
      ],
      answer: json(ref('ServersView')),
      examples: [
        {
          name: 'by-id',
          parameters: { query: 'web', state: 'watching' },
          answer: {
            servers: [{ tenantId: TENANT_ID, serverId: SERVER, state: 'watching' }],
            next: null,
          },
        },
      ],
    },
    'GET /console/api/servers/{tenant}/{server}': {
      id: 'viewServer',
      summary: 'Show a server',
      description:
        'A tenant sees a server of which nothing is known yet with revision 0; an operator sees 404.',
      answer: json(ref('ServerView')),
      errors: [404],
      examples: [{ name: 'firing', parameters: one, answer: fullServer }],
    },
    'GET /console/api/servers/{tenant}/{server}/history': {
      id: 'viewHistory',
      summary: 'List what changed on a server, the newest first',
      parameters: [query('limit', integer(1, HISTORY_MAX), `Default ${HISTORY}.`)],
      answer: json(ref('HistoryView')),
      errors: [404],
      examples: [{ name: 'fired', parameters: one, answer: { history: [gotFull] } }],
    },
  },
  schemas,
);
