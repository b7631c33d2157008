import { expect } from 'chai';
import { jsonBytes } from '../../../src/http/body/body.js';
import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import { merkleTree } from '../../../src/ledger/content/merkle.js';
import { claimIn, type Claims, openClaims } from '../../../src/ledger/verify/claim.js';
import { verifyRoutes } from '../../../src/ledger/http/verify-routes.js';
import { leastOf } from '../../system/longest-hold.js';
import { longestTurn } from '../../system/longest-turn.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { edges, ok, routes } from '../../http/edge.js';
import { madeChain } from '../verify/made-chain.js';

const ENTITY = { id: 'urn:ngsi-ld:Building:1', type: 'Building' };
const TREE = merkleTree([hashOf(ENTITY), hashOf({ id: 'urn:b', type: 'B' })]);
const chain = madeChain({
  events: [
    { assetId: assetIdOf(ENTITY.id), hash: hashOf(ENTITY) },
    { assetId: TREE.root, hash: TREE.root },
  ],
});
const { transactionHash } = chain;

describe('POST /ledger/verify', () => {
  const open = edges();
  let url: string;
  let claims: Claims;
  before(() => {
    claims = openClaims();
  });
  after(() => claims.close());
  beforeEach(async () => {
    const storedProofs = async () => new Map([[hashOf({ id: 'urn:b', type: 'B' }), TREE.proof(1)]]);
    const router = verifyRoutes({ chain, storedProofs, claims, body: jsonBytes({ limit: 1_000_000 }) });
    ({ url } = await open([router]));
  });
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/ledger/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('answers an uncached verdict without a token', async () => {
    const response = await post({ transactionHash, entity: ENTITY });
    expect(response.status).to.equal(200);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.get('content-type')).to.match(/^application\/json/);
    expect(await response.json()).to.include({ verified: true, operation: 'create', entityId: ENTITY.id });
  });

  it('uses stored proofs', async () => {
    const response = await post({ transactionHash, entity: { id: 'urn:b', type: 'B' } });
    expect(await response.json()).to.include({ verified: true, operation: 'upsert', hash: TREE.root });
  });

  it('answers 200 with the reason for content that was not recorded', async () => {
    const response = await post({ transactionHash, query: {} });
    expect(response.status).to.equal(200);
    const verdict = (await response.json()) as Record<string, unknown>;
    expect(verdict['verified']).to.equal(false);
    expect(verdict['reason']).to.be.a('string');
  });

  it('refuses an unknown transaction, a wrong body and a wrong Accept', async () => {
    expect((await post({ transactionHash: `0x${'00'.repeat(32)}`, entity: ENTITY })).status).to.equal(404);
    expect((await post({ transactionHash, entity: 7 })).status).to.equal(400);
    expect((await post({ transactionHash, entity: ENTITY }, { accept: 'text/html' })).status).to.equal(406);
  });

  it('does not block the event loop with a large claim, and gives the same verdict', async () => {
    const members = Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [`a${i}`, i]));
    const body = JSON.stringify({ transactionHash, entity: { ...ENTITY, ...members } });
    const bytes = Buffer.from(body);
    // The first large claim starts the thread.
    expect(await claims.of(bytes)).to.deep.equal(claimIn({ bytes }));
    const here = await leastOf(() => longestTurn(() => claimIn({ bytes })));
    const there = await leastOf(() => longestTurn(() => claims.of(bytes)), here / 2);
    expect(there).to.be.below(here / 2);
    const response = await fetch(`${url}/ledger/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(await response.json()).to.include({ verified: false, hash: hashOf({ ...ENTITY, ...members }) });
    expect(
      (await post({ transactionHash, query: { a: Array.from({ length: 200_000 }, () => 1) }, x: 1 })).status,
    ).to.equal(400);
  });

  it('counts a request that waits for the chain as waiting, not as working', async () => {
    let asked = 0;
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const receipt: typeof chain.receipt = async (hash) => {
      asked += 1;
      await answered;
      return chain.receipt(hash);
    };
    const silent = { ...chain, receipt };
    const router = verifyRoutes({
      chain: silent,
      storedProofs: async () => new Map(),
      claims,
      body: jsonBytes({ limit: 1_000_000 }),
    });
    const admission = { maxInFlight: 4, maxWaiting: 100, exempt: [] };
    ({ url } = await open([router, routes({ 'GET /t': ok })], { admission }));
    const waiting = Array.from({ length: 8 }, () => post({ transactionHash, entity: ENTITY }));
    await eventually(
      async () => asked === 8 || undefined,
      SOON_MS,
      () => `${asked} of 8 wait`,
    );
    expect((await fetch(`${url}/t`)).status).to.equal(200);
    answer();
    for (const response of await Promise.all(waiting)) expect(response.status).to.equal(200);
  });

  it('allows no other method', async () => {
    const response = await fetch(`${url}/ledger/verify`);
    expect(response.status).to.equal(405);
    expect(response.headers.get('allow')).to.equal('OPTIONS, POST');
  });
});
