import { expect } from 'chai';
import { acceptJson } from '../../src/http/media-types.js';
import { authenticate, ownTenant } from '../../src/http/authentication.js';
import { type Identity, IdentityUnavailable } from '../../src/identity/port.js';
import { edges, errorIn, routes } from './edge.js';
import { wires } from './wire/wire-client.js';
import type { EdgeMiddleware } from '../../src/http/context.js';

const acme = { tenant: { id: '0af1', name: 'acme' }, expiresAt: Number.MAX_SAFE_INTEGER };

/** Accepts the token `good`, and fails for the token `down`. */
const identity: Identity = {
  async verify(token) {
    if (token === 'down') throw new IdentityUnavailable('http://admin:secret@identity.example refused');
    return token === 'good' ? acme : undefined;
  },
  close: async () => undefined,
};

const tell: EdgeMiddleware = (ctx) => {
  ctx.body = { tenant: ctx.state.tenant, principal: ctx.state.principal };
};

describe('the token of a request', () => {
  const start = edges();
  const dial = wires();
  const table = { 'GET /:tenantId': [acceptJson, authenticate(identity), ownTenant, tell] };

  async function get(path: string, token?: string): Promise<Response> {
    const { url } = await start([routes(table)]);
    return fetch(url + path, token === undefined ? {} : { headers: { 'x-auth-token': token } });
  }

  for (const [what, path] of [
    ['id', '/0af1'],
    ['name', '/acme'],
  ]) {
    it(`allows the path with the tenant's ${what}, and sets the tenant's id`, async () => {
      const response = await get(path!, 'good');
      expect(await response.json()).to.deep.equal({ tenant: '0af1', principal: acme });
    });
  }

  for (const path of ['/ACME', '/0AF1', '/other', '/0af', '/0af1a']) {
    it(`forbids the path ${path}`, async () => {
      const response = await get(path, 'good');
      expect(response.status).to.equal(403);
      expect((await errorIn(response)).message).to.match(/^tenantId/);
    });
  }

  for (const [what, token] of [
    ['missing', undefined],
    ['empty', ''],
    ['not valid', 'bad-token'],
    ['sent twice', 'good, good'],
  ] as const) {
    it(`is refused if it is ${what}`, async () => {
      const response = await get('/acme', token);
      expect(response.status).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.equal('Keystone uri="http://identity.example"');
      const { message, title } = await errorIn(response);
      expect(title).to.equal('Unauthorized');
      expect(message)
        .to.match(/^X-Auth-Token/)
        .and.not.contain('bad-token');
    });
  }

  describe('as Authorization: Bearer', () => {
    const ask = async (headers: [string, string][]): Promise<{ status: number; message: string }> => {
      const { url } = await start([routes(table)]);
      const response = await fetch(`${url}/acme`, { headers });
      const body = (await response.json()) as { error?: { message: string } };
      return { status: response.status, message: body.error?.message ?? '' };
    };
    const own: [string, string] = ['x-auth-token', 'good'];

    for (const [what, headers] of [
      ['alone', [['authorization', 'Bearer good']]],
      ['in any letter case', [['authorization', 'bearer   good ']]],
      ['beside the same X-Auth-Token', [own, ['authorization', 'Bearer good']]],
      [
        'beside an empty X-Auth-Token',
        [
          ['x-auth-token', ''],
          ['authorization', 'Bearer good'],
        ],
      ],
    ] as [string, [string, string][]][]) {
      it(`is accepted ${what}`, async () => {
        expect(await ask(headers)).to.deep.equal({ status: 200, message: '' });
      });
    }

    it('is refused next to a different X-Auth-Token, whichever of the two is valid', async () => {
      for (const [token, bearer] of [
        ['good', 'other'],
        ['other', 'good'],
        ['good', 'GOOD'],
      ] as const) {
        const { status, message } = await ask([
          ['x-auth-token', token],
          ['authorization', `Bearer ${bearer}`],
        ]);
        expect(status).to.equal(400);
        expect(message)
          .to.match(/^X-Auth-Token and Authorization: Bearer hold two tokens/)
          .and.not.contain('other');
      }
    });

    it('is refused if it is invalid, or if the identity service fails', async () => {
      expect(await ask([['authorization', 'Bearer bad-token']])).to.include({ status: 401 });
      expect(await ask([['authorization', 'Bearer down']])).to.include({ status: 503 });
    });

    it('ignores other schemes', async () => {
      for (const other of ['Basic Z29vZA==', 'Bearer', 'Bearer a b', 'good', 'BearerX good']) {
        expect(await ask([own, ['authorization', other]]), other).to.include({ status: 200 });
        const { status, message } = await ask([['authorization', other]]);
        expect(status, other).to.equal(401);
        expect(message).to.match(/^X-Auth-Token is missing; it, or Authorization: Bearer, must/);
      }
    });

    it('is refused if the header comes twice', async () => {
      const { port } = await start([routes(table)]);
      const wire = await dial(port);
      wire.write(
        'GET /acme HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer good\r\nAuthorization: Bearer other\r\n\r\n',
      );
      expect((await wire.response()).status).to.equal(400);
    });
  });

  it('is answered with 503 while the identity service fails', async () => {
    const response = await get('/acme', 'down');
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('1');
    expect((await errorIn(response)).message)
      .to.contain('identity service')
      .and.not.contain('secret');
  });
});
