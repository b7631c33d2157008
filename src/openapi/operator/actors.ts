import { type ApiPart, json, query } from '../operation.js';
import {
  about,
  anyObject,
  count,
  list,
  object,
  orNull,
  ref,
  text,
  time,
  varies,
  UNREADABLE,
} from '../schema.js';
import { SENDER } from '../ledger/examples.js';
import { SERVER, TENANT_ID } from '../policy/examples.js';
import { mail } from './examples.js';
import { after, limit, next, ofTenant, operatorPart } from '../apis.js';

const summary = {
  kind: text,
  tenant: varies(text),
  name: text,
  state: text,
  revision: about('Grows with each change.', varies(count)),
  wakeAt: orNull(time),
  'unreadable?': UNREADABLE,
};
/** The actor of the examples. */
const shown = {
  kind: 'server',
  tenant: TENANT_ID,
  name: SERVER,
  state: 'calm',
  revision: 12,
  wakeAt: null,
};

/** The actors, the accounts of the ledger, and the development inbox. */
export const actors: ApiPart = operatorPart(
  'Operator: actors',
  'Everything durable of the service is in actors. An actor is a document with a state machine.',
  {
    'GET /operator/export': {
      id: 'exportAll',
      summary: 'Export everything durable',
      description:
        'One JSON object a line. The first has `format`, `version` and `time`. Then there is one for each actor and each secret of ' +
        'the service. The last is `{"end": n}` with their number: an answer without it is not ' +
        'complete. On the embedded store the lines show one moment. On MongoDB each shows an actor as committed at its reading. ' +
        'The answer contains secrets.',
      answer: { 'application/x-ndjson': text },
    },
    'GET /operator/actors': {
      id: 'listActors',
      summary: 'List the actors',
      description: 'Ordered by kind, tenant and name.',
      parameters: [
        query('kind', text),
        ofTenant,
        query('state', text),
        query('query', text, 'Part of the name, in any case. A search that takes long ends its page early.'),
        limit,
        after,
      ],
      answer: json(object({ actors: list(ref('ActorSummary')), next })),
      examples: {
        servers: {
          parameters: { kind: 'server', limit: 1 },
          answer: { actors: [shown], next: `server/${TENANT_ID}/${SERVER}` },
        },
      },
    },
    'GET /operator/actors/{kind}/{tenant}/{name}': {
      id: 'showActor',
      summary: 'Show an actor with its context and outbox',
      answer: json(ref('Actor')),
      examples: {
        'web-1': {
          answer: { ...shown, outbox: [], waiting: [], fault: null, context: { factId: 4, '…': '…' } },
        },
      },
    },
    'GET /operator/accounts': {
      id: 'listLedgerAccounts',
      summary: 'List the accounts of the ledger with their pending nonces',
      parameters: [limit, after],
      answer: json(object({ accounts: list(ref('LedgerAccount')), next })),
      examples: {
        'default-account': {
          answer: {
            accounts: [{ chain: '1337', account: SENDER, state: 'idle', next: 5, free: [], open: [] }],
            next: null,
          },
        },
      },
    },
    'GET /operator/inbox': {
      id: 'showInbox',
      summary: 'Show the mails of the development inbox, newest first',
      answer: json(list(ref('Mail'))),
      errors: [404],
      examples: {
        'one-mail': { answer: [mail] },
      },
    },
  },
  {
    ActorSummary: object(summary),
    Actor: object({
      ...summary,
      outbox: list(anyObject),
      waiting: about(
        'Why each effect of the outbox is not performed yet.',
        list(object({ id: text, type: text, why: text })),
      ),
      fault: about(
        'The last fault of the actor on this node.',
        orNull(object({ what: text, type: orNull(text), message: text, at: time })),
      ),
      context: varies(anyObject),
    }),
    LedgerAccount: object({
      chain: text,
      account: varies(text),
      state: text,
      next: about('The next nonce. null before the first signature.', orNull(varies(count))),
      free: about('Nonces that are free again.', list(count)),
      open: list(ref('PendingNonce')),
    }),
    PendingNonce: object({
      nonce: count,
      transactionHash: text,
      replacements: list(text),
      since: orNull(time),
      attempts: count,
      why: about('One sentence.', text),
    }),
    Mail: object({
      id: varies(text),
      from: text,
      to: text,
      subject: text,
      text: varies(text),
      html: about('Untrusted.', varies(text)),
      headers: varies({ type: 'object', additionalProperties: text }),
      receivedAt: time,
    }),
  },
);
