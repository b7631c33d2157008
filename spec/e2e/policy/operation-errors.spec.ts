import { expect } from 'chai';
import { apiClient, request } from '../api-client.js';
import { ALWAYS } from './actions.js';
import { type Ids, OPERATIONS, prepared, shownState, versionedFacts } from './operation-table.js';
import { expectRefusal } from '../refusal.js';
import { type Scene, scenes } from '../scene.js';

const USERS = 'demo:demo:demo,other:olga:pass';
const UNKNOWN = 'a'.repeat(24);

describe('the errors of the operations (policy §7)', () => {
  let scene: Scene;
  let ids: Ids;
  let shownBefore: string;
  afterEach('nothing changed', async () => {
    expect(await shownState(scene.api, ids)).to.equal(shownBefore);
  });
  const open = scenes('describe');
  before(async () => {
    scene = await open.service({ IDENTITY_USERS: USERS, BODY_LIMIT: '4KiB' });
    ids = await prepared(scene.api);
    shownBefore = await shownState(scene.api, ids);
  });

  for (const { number, method, path, body } of OPERATIONS) {
    describe(`operation ${number}`, () => {
      const send = (headers: Record<string, string> = {}, given = body?.(ids), at = path(ids)) =>
        scene.api.call(method, at, given, headers);

      if (number !== 1) {
        it('401 without a token or with an invalid one', async () => {
          expectRefusal(await request(scene.url + path(ids), method, body?.(ids)), 401, 'X-Auth-Token');
          for (const token of ['', 'nonsense', `${scene.api.token}x`]) {
            expectRefusal(await send({ 'x-auth-token': token }), 401, 'X-Auth-Token');
          }
        });

        it('403 with the token of another tenant', async () => {
          const { token } = await apiClient(scene.url, 'other', 'olga', 'pass');
          expectRefusal(await send({ 'x-auth-token': token }), 403, 'tenantId');
        });
      }

      it('406 if Accept allows no JSON', async () => {
        for (const accept of ['text/html', 'application/xml', 'application/json;q=0', 'text/*, image/png']) {
          expectRefusal(await send({ accept }), 406, 'Accept', 'application/json');
        }
      });

      it('400 for an invalid id in the path', async () => {
        for (const name of Object.keys(ids) as (keyof Ids)[]) {
          const allowed = name === 'serverId' ? '[A-Za-z0-9_.:~-]{1,256}' : '[A-Za-z0-9_-]{1,256}';
          const other = name === 'serverId' ? 'a*b' : 'a.b';
          for (const bad of [other, 'a%20b', 'a%2Fb', '%C3%A4', 'a'.repeat(257), "'", '%00']) {
            const at = path({ ...ids, [name]: bad });
            if (at === path(ids)) continue;
            const shown = name === 'genericId' ? 'ruleId' : name;
            expectRefusal(await send({}, body?.(ids), at), 400, `${shown} in the path`, allowed);
          }
        }
      });

      if (number > 5 && ![9, 11].includes(number)) {
        it('404 for a reference to something unknown', async () => {
          const missing = { 10: 'serverId', 15: 'ruleId', 16: 'subscriptionId', 17: 'subscriptionId' };
          const name = missing[number as keyof typeof missing] ?? 'ruleId';
          if (number === 15) {
            const url = 'http://127.0.0.1:9/other';
            expectRefusal(await send({}, { ruleId: UNKNOWN, url }), 404, name, UNKNOWN);
            return;
          }
          const all = { ...ids, [name]: UNKNOWN, genericId: UNKNOWN };
          expectRefusal(await send({}, body?.(ids), path(all)), 404, name, UNKNOWN);
          if (path(ids).includes('web-1')) {
            expectRefusal(await send({}, body?.(ids), path({ ...ids, serverId: 'web-9' })), 404, name);
          }
        });
      }

      if (body !== undefined) {
        it('413 for a body over the limit, 400 for a body that is not JSON', async () => {
          const long = JSON.stringify({ name: 'x'.repeat(5000) });
          expectRefusal(await send({}, long), 413, '4096 bytes');
          expectRefusal(await send({}, '{"name": }'), 400, 'not JSON', 'position 9');
          expectRefusal(await send({}, ''), 400, 'empty');
          expectRefusal(await send({}, Buffer.from('{"name":"\xff"}', 'latin1')), 400, 'UTF-8');
          expectRefusal(await send({}, String.raw`{"name":"\ud800"}`), 400, 'unpaired surrogate');
          expectRefusal(await send({}, '['.repeat(101) + ']'.repeat(101)), 400, 'nested over 100');
        });

        it('400 for a body of another Content-Type', async () => {
          for (const type of ['text/plain', 'application/ld+json', 'application/json; charset=latin1']) {
            expectRefusal(await send({ 'content-type': type }), 400, 'Content-Type', 'application/json');
          }
        });

        it('400 for JSON that is not an object', async () => {
          for (const given of [null, true, 7, 'text', []]) {
            expectRefusal(await send({}, JSON.stringify(given)), 400, 'must be a');
          }
        });
      }
    });
  }

  it('operation 1 has the same errors under /v1.0', async () => {
    const path = versionedFacts(ids);
    expectRefusal(await scene.api.call('POST', path, {}), 400, 'contextResponses');
    expectRefusal(await scene.api.call('POST', path, '{}', { accept: 'text/html' }), 406);
    expectRefusal(await scene.api.call('POST', path.replace('web-1', 'a%20b'), {}), 400, 'serverId');
    expectRefusal(await request(scene.url + path.replace('demo', 'nobody'), 'POST', {}), 404, 'nobody');
  });

  it('operation 11 refuses an array with one invalid rule as a whole, and names it', async () => {
    const path = `/v1.0/demo/servers/web-1/rules`;
    const bad = { ...ALWAYS, condition: { cpu: { value: 101, operand: 'greater' } } };
    expectRefusal(await scene.api.call('POST', path, [ALWAYS, bad]), 400, '[1].condition.cpu.value', '100');
    expectRefusal(await scene.api.call('POST', path, []), 400, 'non-empty array');
  });
});
