import { explainedFields } from '../../ledger/browse/receipt-fields.js';
import type { ReceiptView, TransactionRowView } from '../../ledger/shapes.js';
import { BUILDING, CONTRACT, created, hashOf, SENDER } from '../ledger/examples.js';
import { SERVER_STATES } from '../../policy/server/server-machine.js';
import { refused } from '../operator/examples.js';
import {
  busy,
  EXAMPLE_TIME,
  full,
  FULL_DELIVERY,
  FULL_SERVER,
  FULL_SUBSCRIPTION,
  GENERIC_RULE,
  TAKING_RECEIVER,
  TENANT_ID,
} from '../policy/examples.js';

const at = EXAMPLE_TIME;
const sentence = 'Holds since 2026-01-31T12:00:00Z: the mean of hdd is 93.1667, greater than 90.';
const rule = { ruleId: GENERIC_RULE, name: 'disk nearly full' };

/** The change of the server whose disk got full. */
export const gotFull = {
  at,
  ruleId: GENERIC_RULE,
  subscriptionId: FULL_SUBSCRIPTION,
  from: 'filling',
  to: 'firing',
  sentence,
  factId: 3,
};

/** The server whose disk is full, in the list of what fires. */
export const firing = {
  tenantId: TENANT_ID,
  serverId: FULL_SERVER,
  ruleId: rule.ruleId,
  ruleName: rule.name,
  subscriptions: 1,
  since: at,
  sentence,
};

/** The page of that server. */
export const fullServer = {
  tenantId: TENANT_ID,
  serverId: FULL_SERVER,
  state: 'firing',
  chart: {
    states: SERVER_STATES,
    transitions: SERVER_STATES.flatMap((from) =>
      SERVER_STATES.filter((to) => to !== from).map((to) => ({ from, to })),
    ),
  },
  revision: 4,
  factId: 3,
  lastFactAt: at,
  windowsize: 3,
  windows: {
    cpu: { size: 3, values: [] },
    mem: { size: 3, values: [] },
    hdd: { size: 3, values: [91, 92.5, 96] },
    net: { size: 3, values: [] },
  },
  ruleCount: 1,
  rules: [
    {
      ...rule,
      generic: true,
      condition: full.condition,
      speaking: {},
      action: full.action,
      sentence: null,
      subscriptionCount: 1,
      subscriptions: [
        {
          subscriptionId: FULL_SUBSCRIPTION,
          url: TAKING_RECEIVER,
          state: 'firing',
          since: at,
          sentence,
          comparisons: [
            {
              metric: 'hdd',
              aggregate: 'mean',
              result: 93.16666666666667,
              operand: 'greater',
              value: 90,
              holds: true,
            },
          ],
          firings: 1,
          unsent: 0,
          lastFiring: { at, factId: 3, deliveryId: FULL_DELIVERY, delivery: 'delivered' },
        },
      ],
    },
  ],
};

/** The delivery that its receiver refused, with its rule's name. */
export const refusedDelivery = { ...refused(3), title: busy.name };
const { message: _message, ...refusedRow } = refusedDelivery;
/** The same in a list. */
export { refusedRow };

const recorded = {
  state: 'recorded',
  account: SENDER,
  blockNumber: 12,
  recordedAt: at,
  batch: null,
} as const;

/** The last transaction of the building. */
export const retrieval: TransactionRowView = {
  transactionHash: hashOf('4'),
  operation: 'retrieve',
  ...recorded,
};

/** Its first transaction. */
export const creation: ReceiptView = {
  transactionHash: hashOf('1'),
  operation: 'create',
  ...recorded,
  entityId: BUILDING,
  tenant: null,
  assetId: hashOf('a1'),
  hash: hashOf('b1'),
  block: { number: 12, hash: created.blockHash, time: at, confirmations: 6, final: false },
  refusal: null,
  fault: null,
  fields: explainedFields(created),
  receipt: created,
  signatures: [hashOf('1')],
};

/** The chain and the ledger. */
export const chain = {
  chain: '1337',
  contract: CONTRACT,
  head: 12,
  away: null,
  confirmations: 1,
  finality: 12,
  entities: 4,
};

/** The way from the first entity of the batch to its root. */
export const proof = {
  entityId: 'urn:ngsi-ld:Building:b1',
  index: 0,
  count: 2,
  hash: hashOf('b5'),
  leaf: hashOf('c6'),
  steps: [{ left: hashOf('c5'), right: hashOf('c6'), sibling: hashOf('c5'), node: hashOf('d5') }],
  root: hashOf('d5'),
  recordedRoot: hashOf('d5'),
};
