import type { CountView, DemoView, FiringView, OverviewView, PartView } from '../../console/shapes.js';
import { SERVER_STATES } from '../../policy/server/server-machine.js';
import { type ApiPart, json } from '../operation.js';
import {
  about,
  anyObject,
  count,
  flag,
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
import { EXAMPLE_TIME, TENANT_ID } from '../policy/examples.js';
import { firing } from './examples.js';
import { consolePart } from './part.js';

const at = EXAMPLE_TIME;
const resting = { running: false, sent: 0, total: 400, firings: 0, tenantId: null, serverId: null };
const counting = (number: number): object => ({ count: number, more: false });

const counted = ref('CountView');
const rate = varies({ type: 'number', minimum: 0 });

const schemas: Readonly<Record<string, Schema>> = {
  OverviewView: shape<OverviewView>({
    at: time,
    firing: shape<OverviewView['firing']>({
      total: counted,
      first: list(ref('FiringView')),
      more: about('True if other rules fire too.', flag),
      compared: about(
        'Number of servers that the first rules are chosen from, by tenant and id. null: all.',
        orNull(count),
      ),
    }),
    servers: object(Object.fromEntries(SERVER_STATES.map((state) => [state, counted]))),
    rates: about(
      'Per second, on this node. null for a tenant.',
      orNull(shape<NonNullable<OverviewView['rates']>>({ facts: rate, firings: rate, receipts: rate })),
    ),
    deliveries: shape<OverviewView['deliveries']>({ waiting: counted, dead: counted }),
    refusedLastHour: about(
      'Requests with measurements that this node refused in the last hour. null for a tenant.',
      orNull(varies(count)),
    ),
    ledger: orNull(
      shape<NonNullable<OverviewView['ledger']>>({
        head: orNull(varies(count)),
        blocksBehind: orNull(varies(count)),
        openNonces: counted,
      }),
    ),
    parts: list(ref('PartView')),
    setup: shape<OverviewView['setup']>({ rules: flag, subscriptions: flag, facts: flag }),
  }),
  CountView: shape<CountView>({ count, more: about('True if only the first were counted.', flag) }),
  FiringView: shape<FiringView>({
    tenantId: varies(text),
    serverId: text,
    ruleId: ref('Id'),
    ruleName: text,
    subscriptions: about('Number of firing subscriptions of the rule on the server.', count),
    since: orNull(time),
    sentence: text,
  }),
  PartView: shape<PartView>(
    {
      name: text,
      status: oneOf(['up', 'away']),
      since: orNull(time),
      detail: orNull(text),
      warning: about('What is wrong with a part that is up.', text),
    },
    ['warning'],
  ),
  DemoView: shape<DemoView>({
    running: flag,
    sent: count,
    total: count,
    firings: count,
    tenantId: orNull(varies(text)),
    serverId: orNull(text),
  }),
};

/** The overview of the console, and the demo of an empty service. */
export const overview: ApiPart = consolePart(
  'Console: overview',
  'What fires, waits and is away. A tenant sees its own alone. The demo exists in development.',
  {
    'GET /console/api/overview': {
      id: 'viewOverview',
      summary: 'Show what fires, waits and is away',
      answer: json(ref('OverviewView')),
      examples: [
        {
          name: 'one-firing',
          answer: {
            at,
            firing: { total: counting(1), first: [firing], more: false, compared: null },
            servers: {
              unwatched: counting(0),
              filling: counting(0),
              watching: counting(1),
              firing: counting(1),
            },
            rates: { facts: 0.7, firings: 0.2, receipts: 0.7 },
            deliveries: { waiting: counting(0), dead: counting(1) },
            refusedLastHour: 1,
            ledger: { head: 12, blocksBehind: 0, openNonces: counting(0) },
            parts: ['chain', 'mail'].map((name) => ({ name, status: 'up', since: at, detail: null })),
            setup: { rules: true, subscriptions: true, facts: true },
          },
        },
      ],
    },
    'GET /console/api/demo': {
      id: 'viewDemo',
      summary: 'Show how far the demo is',
      access: ['operator'],
      answer: json(ref('DemoView')),
      examples: [
        {
          name: 'not-started',
          answer: resting,
        },
      ],
    },
    'POST /console/api/demo': {
      id: 'startDemo',
      summary: 'Play the CPU series of `examples/` against a rule',
      access: ['operator'],
      answer: json(ref('DemoView')),
      errors: [409],
      examples: [
        { name: 'started', answer: { ...resting, running: true, tenantId: TENANT_ID, serverId: 'demo-cpu' } },
      ],
    },
    'POST /console/demo-receiver': {
      id: 'receiveDemo',
      summary: 'Receive the webhooks of the demo',
      access: ['none'],
      body: { content: json(anyObject) },
      others: { 204: { description: 'Received.' } },
    },
  },
  schemas,
);
