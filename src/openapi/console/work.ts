import type { InboxView, KindsView, MailRowView, MailView } from '../../console/shapes.js';
import { type ApiPart, json, query } from '../operation.js';
import { LIMIT, LIMIT_MAX } from '../../operator/query.js';
import {
  about,
  flag,
  integer,
  list,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  time,
  varies,
} from '../schema.js';
import { mailHeaders, mailRow, mailText } from '../operator/examples.js';
import { consolePart } from './part.js';

const mail: { readonly [K in keyof MailRowView]-?: Schema } = {
  id: varies(text),
  from: text,
  to: text,
  subject: text,
  receivedAt: time,
};

const KINDS = {
  server: ['unwatched', 'filling', 'watching', 'firing', 'gone'],
  history: ['kept'],
  tenant: ['unknown', 'known'],
  'tenant-name': ['free', 'bound'],
  delivery: ['new', 'blocked', 'sending', 'waiting', 'delivered', 'dead', 'ending', 'gone'],
  endpoint: ['new', 'open', 'suspended', 'gone'],
  entity: ['unrecorded', 'recorded', 'failed'],
  register: ['growing'],
  page: ['empty', 'put', 'kept', 'gone'],
  key: ['unused', 'claimed', 'signed', 'gone'],
  account: ['idle', 'dispatching', 'stalled'],
  transaction: ['new', 'sending', 'recorded', 'refused', 'replacement', 'gone'],
  block: ['unwatched', 'watched', 'gone'],
};

/** The console's views of the kinds of actors, and of the development inbox. */
export const workViews: ApiPart = consolePart(
  'Console: actors, inbox',
  'What the other pages of the console show.',
  {
    'GET /console/api/kinds': {
      id: 'viewKinds',
      summary: 'List the kinds of actors with their states',
      access: ['operator'],
      answer: json(ref('KindsView')),
      examples: [
        { name: 'all', answer: { kinds: Object.entries(KINDS).map(([kind, states]) => ({ kind, states })) } },
      ],
    },
    'GET /console/api/inbox': {
      id: 'viewInbox',
      summary: 'List the mails of the development inbox, newest first',
      access: ['operator'],
      parameters: [
        query('before', text, 'The `next` of the page before.'),
        query('limit', integer(1, LIMIT_MAX), `Default ${LIMIT}.`),
      ],
      answer: json(ref('InboxView')),
      errors: [404],
      examples: [{ name: 'one-mail', answer: { mails: [mailRow], next: null } }],
    },
    'GET /console/api/inbox/{id}': {
      id: 'viewMail',
      summary: 'Show a mail of the development inbox',
      access: ['operator'],
      answer: json(ref('MailView')),
      errors: [404],
      examples: [
        {
          name: 'one-mail',
          parameters: { id: mailRow.id },
          answer: { ...mailRow, text: mailText, hasHtml: true, headers: mailHeaders },
        },
      ],
    },
  },
  {
    KindsView: shape<KindsView>({
      kinds: list(shape<KindsView['kinds'][number]>({ kind: text, states: list(text) })),
    }),
    InboxView: shape<InboxView>({
      mails: list(ref('MailRowView')),
      next: about('The `before` of the next page. null on the last one.', orNull(varies(text))),
    }),
    MailRowView: shape<MailRowView>(mail),
    MailView: shape<MailView>({
      ...mail,
      text: varies(text),
      hasHtml: flag,
      headers: varies({ type: 'object', additionalProperties: text }),
    }),
  },
);
