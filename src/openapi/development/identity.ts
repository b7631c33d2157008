import { tokenResponse } from '../../identity/tokens-api.js';
import { type ApiPart, json, type Operation, refusal } from '../operation.js';
import { EXAMPLE_TIME, TENANT_ID } from '../policy/examples.js';
import {
  about,
  anyObject,
  list,
  object,
  openObject,
  ref,
  someText,
  type Schema,
  text,
  time,
  varies,
} from '../schema.js';

const id: Schema = varies(text);

const DAY_S = 86_400;

const schemas: Readonly<Record<string, Schema>> = {
  TokenRequest: openObject({
    auth: openObject({
      tenantName: someText,
      passwordCredentials: openObject({ username: someText, password: someText }),
    }),
  }),
  TokenAnswer: object({
    access: object({
      token: object({
        id: about('The token, for X-Auth-Token.', id),
        expires: time,
        issued_at: time,
        tenant: object({ description: text, enabled: { const: true }, id, name: text }),
        audit_ids: varies(list(text)),
      }),
      serviceCatalog: list(anyObject, { maxItems: 0 }),
      user: object({
        id,
        name: text,
        username: text,
        roles: list(object({ name: text })),
        roles_links: list(anyObject, { maxItems: 0 }),
      }),
      metadata: object({ is_admin: { const: 0 }, roles: list(text) }),
    }),
  }),
};

const issue: Omit<Operation, 'id'> = {
  summary: 'Get a token for a tenant',
  description: 'The answer of Keystone’s API v2.0. A token is valid for a day, also after a restart.',
  body: { content: json(ref('TokenRequest')) },
  answer: json(ref('TokenAnswer')),
  errors: [401, 406, 429],
};

const request = (password: string): object => ({
  auth: { tenantName: 'demo', passwordCredentials: { username: 'demo', password } },
});

/** Returns the answer with this token. */
function issued(id: string): object {
  const issuedAt = Date.parse(EXAMPLE_TIME);
  return tokenResponse(
    { id, auditId: 'Zm9yLXRoZS1hdWRpdA', issuedAt, expiresAt: issuedAt / 1000 + DAY_S },
    { tenant: 'demo', tenantId: TENANT_ID, user: 'demo', userId: '19283746556473829100aabbccddeeff' },
  );
}

/** The tokens of the embedded identity. */
export const identity: ApiPart = {
  tag: 'Identity',
  description: 'Tokens of the embedded identity. With another `IDENTITY` its own service issues them.',
  errorFormat: 'Error',
  access: ['none'],
  schemas,
  operations: {
    'POST /identity/v2.0/tokens': {
      ...issue,
      id: 'issueToken',
      examples: {
        demo: {
          body: request('demo'),
          answer: issued('eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3Njk5NDcyMDB9.c2lnbmF0dXJl'),
        },
      },
    },
    'POST /tokens': {
      ...issue,
      id: 'issueTokenAtRoot',
      summary: 'Get a token, at the path of Keystone',
      examples: {
        demo: {
          body: request('demo'),
          answer: issued('eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3Njk5NDcyMDF9.YW5vdGhlcg'),
        },
        'wrong-password': {
          body: request('omed'),
          ...refusal(401, 'The tenant, the user name or the password is wrong.'),
        },
      },
    },
  },
};
