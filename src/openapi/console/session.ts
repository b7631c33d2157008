import type { SessionView } from '../../console/shapes.js';
import { type ApiPart, header, HTML_PAGE, json, type Operation } from '../operation.js';
import {
  about,
  flag,
  list,
  object,
  oneOf,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  varies,
} from '../schema.js';
import { mailRow } from '../operator/examples.js';
import { SERVICE, TENANT_ID } from '../policy/examples.js';
import { consolePart } from './part.js';

const LOGINS = ['operatorToken', 'tenantPassword', 'tenantToken'] as const;
const some: Schema = { type: 'string', minLength: 1 };

const shown: Omit<Operation, 'id' | 'summary'> = {
  access: ['none', 'session'],
  answer: json(ref('SessionView')),
};

const before = {
  viewer: null,
  csrf: null,
  logins: LOGINS,
  development: true,
  parts: { ledger: true, inbox: true, demo: true },
  version: '0.1.0',
  publicUrl: SERVICE,
  demoUser: true,
  measurements: { auth: 'open', hdd: 'used' },
  openLedger: true,
  tenants: [],
};

/** The session of the console, and its pages. */
export const session: ApiPart = consolePart(
  'Console: session',
  'The console at `/console` is a page of the service. Its cookie is HttpOnly and SameSite=Strict.',
  {
    'GET /console/api/session': {
      ...shown,
      id: 'showSession',
      summary: 'Show who is logged in',
      examples: [{ name: 'before-the-login', answer: before }],
    },
    'POST /console/api/session': {
      ...shown,
      id: 'logIn',
      summary: 'Log in as operator, or as tenant',
      description: 'Sets the cookie.',
      body: { content: json(ref('Login')) },
      errors: [429],
      examples: [
        {
          name: 'tenant',
          body: { tenantName: 'demo', username: 'demo', password: 'demo' },
          answer: {
            ...before,
            viewer: { kind: 'tenant', tenantId: TENANT_ID, tenantName: 'demo' },
            csrf: 'cG9zdC1mcm9tLXRoaXMtcGFnZQ',
          },
        },
      ],
    },
    'DELETE /console/api/session': {
      ...shown,
      id: 'logOut',
      summary: 'Log out',
      parameters: [header('X-CSRF-Token', text, '`csrf` of the session.')],
      examples: [{ name: 'without-session', answer: before }],
    },
    'GET /console/mail/{id}': {
      id: 'showMail',
      summary: 'Show a mail of the development inbox as it looks',
      access: ['operator'],
      answer: { 'text/html': varies(text), 'text/plain': text },
      errors: [404],
      examples: [{ name: 'one-mail', parameters: { id: mailRow.id }, answer: HTML_PAGE }],
    },
    'GET /console': {
      id: 'showConsole',
      summary: 'Show the page of the console',
      description: 'Each path below that is no asset answers the same page.',
      access: ['none'],
      answer: { 'text/html': varies(text) },
      examples: [{ name: 'any-viewer', answer: HTML_PAGE }],
      others: { 304: { description: 'The page of `If-None-Match` is current.' } },
    },
  },
  {
    SessionView: shape<SessionView>({
      viewer: about('null before the login.', orNull(ref('Viewer'))),
      csrf: about('The value of X-CSRF-Token for changes. null without a cookie.', orNull(varies(text))),
      logins: list(oneOf(LOGINS)),
      development: flag,
      parts: shape<SessionView['parts']>({ ledger: flag, inbox: flag, demo: flag }),
      version: varies(text),
      publicUrl: varies(text),
      demoUser: flag,
      measurements: shape<SessionView['measurements']>({
        auth: oneOf(['open', 'token', 'key']),
        hdd: oneOf(['used', 'free']),
      }),
      openLedger: flag,
      tenants: about(
        'The tenants of the embedded identity, for an operator.',
        list(object({ id: varies(text), name: text })),
      ),
    }),
    Viewer: {
      oneOf: [
        object({ kind: { const: 'operator' } }),
        object({ kind: { const: 'tenant' }, tenantId: varies(text), tenantName: text }),
      ],
    },
    Login: {
      oneOf: [
        object({ operatorToken: some }),
        object({ tenantName: some, username: some, password: some }),
        object({ token: some }),
      ],
    },
  },
);
