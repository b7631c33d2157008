import type { CountView, DemoView, FiringView, OverviewView, PartView } from '../../console/shapes.js';
import { SERVER_STATES } from '../../policy/server/server-machine.js';
import type { ApiPart } from '../operation.js';
import { json } from '../operation.js';
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
import { consolePart } from './part.js';

const counted = ref('CountView');
const rate = varies({ type: 'number', minimum: 0 });

const schemas: Readonly<Record<string, Schema>> = {
  OverviewView: shape<OverviewView>({
    at: time,
    firing: shape<OverviewView['firing']>({ total: counted, first: list(ref('FiringView')) }),
    servers: object(Object.fromEntries(SERVER_STATES.map((state) => [state, counted]))),
    rates: about(
      'Per second, on this node. null for a tenant.',
      orNull(shape<NonNullable<OverviewView['rates']>>({ facts: rate, firings: rate, receipts: rate })),
    ),
    deliveries: shape<OverviewView['deliveries']>({ waiting: counted, dead: counted }),
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
    subscriptionId: ref('Id'),
    since: orNull(time),
    sentence: text,
  }),
  PartView: shape<PartView>({
    name: text,
    status: oneOf(['up', 'away']),
    since: orNull(time),
    detail: orNull(text),
  }),
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
    },
    'GET /console/api/demo': {
      id: 'viewDemo',
      summary: 'Show how far the demo is',
      access: ['operator'],
      answer: json(ref('DemoView')),
      examples: [
        {
          name: 'not-started',
          answer: { running: false, sent: 0, total: 400, firings: 0, tenantId: null, serverId: null },
        },
      ],
    },
    'POST /console/api/demo': {
      id: 'startDemo',
      summary: 'Play the CPU series of `examples/` against a rule',
      access: ['operator'],
      answer: json(ref('DemoView')),
      errors: [409],
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
