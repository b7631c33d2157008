import { gzipSync } from 'node:zlib';
import type { Asked } from './asking-thread.js';
import {
  MiB,
  batchTexts,
  entityTexts,
  factsTexts,
  fill,
  many,
  notificationTexts,
  ruleTexts,
  rulesTexts,
  subscriptionTexts,
  texts,
  tokenTexts,
  vaultTexts,
  verifyTexts,
} from './worst-bodies.js';

type Kinds = Readonly<Record<string, Asked>>;

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The routes with a body, by name. */
function routesWithBody(
  token: string,
  walletToken: string,
): Readonly<
  Record<
    string,
    Pick<Asked, 'method' | 'path' | 'headers'> & { readonly texts: Readonly<Record<string, string>> }
  >
> {
  const own = { ...JSON_TYPE, 'X-Auth-Token': token };
  const wallet = { ...JSON_TYPE, 'X-Vault-Token': walletToken };
  const v1 = '/v1.0/demo';
  return {
    P1: { method: 'POST', path: `${v1}/servers/s`, headers: JSON_TYPE, texts: factsTexts },
    notify: {
      method: 'POST',
      path: `${v1}/notify`,
      headers: JSON_TYPE,
      texts: { ...factsTexts, ...notificationTexts },
    },
    P3: { method: 'PUT', path: v1, headers: own, texts: {} },
    P4: { method: 'POST', path: `${v1}/rules`, headers: own, texts: ruleTexts },
    P6: { method: 'PUT', path: `${v1}/rules/r`, headers: own, texts: ruleTexts },
    P11: {
      method: 'POST',
      path: `${v1}/servers/r/rules`,
      headers: own,
      texts: { ...ruleTexts, ...rulesTexts },
    },
    P15: { method: 'POST', path: `${v1}/servers/s/subscription`, headers: own, texts: subscriptionTexts },
    token: { method: 'POST', path: '/identity/v2.0/tokens', headers: JSON_TYPE, texts: tokenTexts },
    L1: { method: 'POST', path: '/ngsi-ld/v1/entities', headers: JSON_TYPE, texts: entityTexts },
    L3: {
      method: 'POST',
      path: '/ngsi-ld/v1/entities/urn:a:b/attrs',
      headers: JSON_TYPE,
      texts: entityTexts,
    },
    L5: {
      method: 'POST',
      path: '/ngsi-ld/v1/entityOperations/upsert',
      headers: JSON_TYPE,
      texts: batchTexts,
    },
    verify: { method: 'POST', path: '/ledger/verify', headers: JSON_TYPE, texts: verifyTexts },
    wallet: { method: 'POST', path: '/vault/v1/ethereum/accounts/a', headers: wallet, texts: {} },
    'sign-tx': {
      method: 'POST',
      path: '/vault/v1/ethereum/accounts/a/sign-tx',
      headers: wallet,
      texts: vaultTexts,
    },
  };
}

/** The worst known requests by route and kind. */
export function worstRequests(token: string, walletToken: string): Kinds {
  const kinds: Record<string, Asked> = {};
  for (const [route, { texts: own, ...asked }] of Object.entries(routesWithBody(token, walletToken))) {
    for (const [name, text] of Object.entries({ ...texts, ...own }))
      kinds[`${route}: ${name}`] = { ...asked, body: Buffer.from(text) };
    kinds[`${route}: a bomb`] = {
      ...asked,
      headers: { ...asked.headers, 'Content-Encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(400 * MiB, 0x20)),
    };
  }
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Asked => ({
    method: 'GET',
    path,
    headers,
    body: undefined,
  });
  const L2 = '/ngsi-ld/v1/entities?';
  const queries: Readonly<Record<string, string>> = {
    'one name many times': 'a&'.repeat(7_500),
    'many names': fill('', (i) => `a${i}&`, '', 15_000),
    'an id pattern': `idPattern=${'(a*)*'.repeat(2_900)}`,
    'a deep id pattern': `idPattern=${'('.repeat(7_000)}${')'.repeat(7_000)}`,
    'an id pattern of counts': `idPattern=${'a{1,9}'.repeat(2_300)}`,
    ids: `id=${'urn:a:b,'.repeat(1_800)}x`,
    'an id': `id=urn:${'%2541'.repeat(2_900)}%20`,
    'a georel': `georel=near;maxDistance==${'1'.repeat(15_000)}x&geometry=Point&coordinates=[1,2]`,
    coordinates: `georel=within&geometry=MultiPoint&coordinates=[${'[1,2],'.repeat(2_300)}[1,2]]`,
    'deep coordinates': `georel=within&geometry=MultiPoint&coordinates=${'['.repeat(15_000)}`,
    types: `type=${'T,'.repeat(7_500)}x`,
    percents: `q=${'%41'.repeat(5_000)}`,
  };
  for (const [name, query] of Object.entries(queries)) {
    kinds[`L2: ${name}`] = get(L2 + query);
    kinds[`L6: ${name}`] = get(`/entity?${query}`);
    kinds[`operators: ${name}`] = get(`/operator/deliveries?${query}`);
  }
  const long = 15_000;
  kinds['L4: a long id'] = get(`/ngsi-ld/v1/entities/urn:${'%41'.repeat(5_000)}`);
  kinds['a path of slashes'] = get('/'.repeat(long));
  kinds['a path of attrs'] = get(`/ngsi-ld/v1/entities/${'/attrs'.repeat(2_500)}x`);
  kinds['a path of json'] = get(`/v1.0/${'.json'.repeat(3_000)}`);
  for (const [name, value] of Object.entries({
    accept: 'a/b;q=0.1,'.repeat(1_500),
    'accept of parameters': `a/b${';a=b'.repeat(3_700)}`,
  }))
    kinds[`P2: ${name}`] = get('/v1.0/demo', { Accept: value, 'X-Auth-Token': token });
  for (const name of [
    'X-Auth-Token',
    'Wallet-Address',
    'Link',
    'Related-Entity',
    'Idempotency-Key',
    'X-Request-Id',
    'Content-Type',
    'If-None-Match',
    'X-Forwarded-For',
    'Authorization',
    'Cookie',
    'Forwarded',
    'Range',
  ]) {
    for (const [what, value] of Object.entries({
      blanks: `a${' '.repeat(long)}a`,
      commas: ','.repeat(long),
      letters: 'a'.repeat(long),
      dots: `http://a${'/..'.repeat(5_000)}`,
    })) {
      kinds[`header ${name} of ${what}`] = get(
        name === 'X-Auth-Token' ? '/v1.0/demo' : '/ngsi-ld/v1/entities',
        {
          [name]: value,
          ...(name === 'Wallet-Address' ? { 'Wallet-Type': 'vault', 'Wallet-Token': 'x' } : {}),
        },
      );
    }
  }
  kinds['many headers'] = get('/v1.0/demo', Object.fromEntries(many(1_500, (i) => [`a${i}`, 'b'])));
  return kinds;
}
