import { expect } from 'chai';
import fc from 'fast-check';
import { ChainMisfit, ChainUnavailable, type Hex } from '../../../src/chain/port.js';
import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import { merkleTree } from '../../../src/ledger/content/merkle.js';
import { type StoredProofs, verify } from '../../../src/ledger/verify/verify.js';
import type { Verdict } from '../../../src/ledger/shapes.js';
import type { Claim } from '../../../src/ledger/verify/claim.js';
import { refusedLater } from '../../policy/http/refused.js';
import { CONTRACT, FROM, type Made, madeChain, OTHER_CONTRACT } from './made-chain.js';

const ENTITY = {
  '@context': 'https://example.org/context.jsonld',
  id: 'urn:ngsi-ld:Building:1',
  type: 'Building',
  name: { type: 'Property', value: 'Ⅷ' },
};
const ASSET = assetIdOf(ENTITY.id);
const HASH = hashOf(ENTITY);
const CREATED: Made = { events: [{ assetId: ASSET, hash: HASH }] };
const BATCH = [ENTITY, { id: 'urn:b', type: 'B' }, { id: 'urn:c', type: 'C', n: 1 }];
const TREE = merkleTree(BATCH.map(hashOf));
const BATCHED: Made = { events: [{ assetId: TREE.root, hash: TREE.root }] };

type Content = Claim extends infer C ? Omit<C, 'transactionHash'> : never;

/** Returns the verdict on content with a made chain. */
async function said(made: Made, content: object, storedProofs?: StoredProofs): Promise<Verdict> {
  const chain = madeChain(made);
  const claim = { transactionHash: chain.transactionHash, ...content } as Claim;
  return verify(claim, { chain, ...(storedProofs && { storedProofs }) });
}

const unproved = async (made: Made, content: object, reason: RegExp): Promise<void> => {
  const verdict = await said(made, content);
  expect(verdict.verified).to.equal(false);
  expect(verdict.reason).to.match(reason);
  expect(verdict).not.to.have.property('operation');
};

describe('verification', () => {
  const placed = {
    from: FROM,
    blockNumber: 300,
    blockHash: `0x${'b1'.repeat(32)}`,
    recordedAt: '2026-01-15T12:00:00.000Z',
  };

  it('returns the record of an entity, its signer and its time', async () => {
    expect(await said(CREATED, { entity: ENTITY })).to.deep.equal({
      verified: true,
      operation: 'create',
      entityId: ENTITY.id,
      contentHash: HASH,
      assetId: ASSET,
      hash: HASH,
      ...placed,
    });
  });

  it('ignores the order of members', async () => {
    const turned = Object.fromEntries(Object.entries(ENTITY).toReversed());
    expect(await said(CREATED, { entity: turned })).to.have.property('verified', true);
  });

  it('verifies a fragment with the id of its entity', async () => {
    const fragment = { name: { type: 'Property', value: 'x' } };
    const made = { events: [{ assetId: ASSET, hash: hashOf(fragment) }] };
    expect(await said(made, { entityId: ENTITY.id, fragment })).to.include({
      verified: true,
      operation: 'update',
      entityId: ENTITY.id,
    });
    await unproved(made, { entityId: 'urn:other', fragment }, /this content, but for another entity$/);
  });

  it('verifies a query with its related entity', async () => {
    const query = { type: 'Building', limit: 2 };
    const requestor = {
      events: [{ assetId: assetIdOf('urn:ngsi-ld:requestor:default'), hash: hashOf(query) }],
    };
    const related = { events: [{ assetId: assetIdOf('urn:user:1'), hash: hashOf(query) }] };
    const { assetId } = related.events[0]!;
    expect(await said(requestor, { query })).to.include({ verified: true, operation: 'query' });
    expect(await said(related, { query })).to.include({ verified: true, assetId });
    expect(await said(related, { query, relatedEntity: 'urn:user:1' })).to.include({
      verified: true,
      entityId: 'urn:user:1',
    });
    await unproved(related, { query, relatedEntity: 'urn:user:2' }, /for another entity$/);
    await unproved(related, { query: { ...query, limit: 3 } }, /other content/);
  });

  it('verifies a retrieval with the id of its entity', async () => {
    const query = { entityId: ENTITY.id, attrs: 'name' };
    const made = { events: [{ assetId: ASSET, hash: hashOf(query) }] };
    expect(await said(made, { query })).to.include({
      verified: true,
      operation: 'retrieve',
      entityId: ENTITY.id,
    });
    const elsewhere = { events: [{ assetId: assetIdOf('urn:x'), hash: hashOf(query) }] };
    await unproved(elsewhere, { query }, /for another entity$/);
  });

  for (const [index, entity] of BATCH.entries()) {
    it(`verifies entity ${index} of a batch with the proof of its receipt, and with the stored one`, async () => {
      const proof = TREE.proof(index);
      const verdict = {
        verified: true,
        operation: 'upsert',
        entityId: entity.id,
        contentHash: hashOf(entity),
        assetId: TREE.root,
        hash: TREE.root,
      };
      expect(await said(BATCHED, { entity, proof })).to.include(verdict);
      const asked: unknown[] = [];
      const stored: StoredProofs = async (...args) => {
        asked.push(args);
        return new Map([[hashOf(entity), proof]]);
      };
      expect(await said(BATCHED, { entity }, stored)).to.include(verdict);
      expect(asked).to.deep.equal([[`0x${'7a'.repeat(32)}`, new Set([hashOf(entity)])]]);
    });
  }

  it('verifies a whole batch without a proof, whatever the order', async () => {
    const never: StoredProofs = () => Promise.reject(new Error('asked'));
    const entities = BATCH.toReversed();
    expect(await said(BATCHED, { entities }, never)).to.deep.equal({
      verified: true,
      operation: 'upsert',
      assetId: TREE.root,
      hash: TREE.root,
      entries: entities.map((entity) => ({
        entityId: entity.id,
        contentHash: hashOf(entity),
        verified: true,
      })),
      ...placed,
    });
  });

  it('compares a part of a batch entity by entity, and says which are not as recorded', async () => {
    const altered = { ...BATCH[2]!, n: 2 };
    const stored: StoredProofs = async () => new Map(BATCH.map((one, i) => [hashOf(one), TREE.proof(i)]));
    const part = await said(BATCHED, { entities: BATCH.slice(1) }, stored);
    expect(part).to.include({ verified: true, operation: 'upsert', hash: TREE.root });
    const verdict = await said(BATCHED, { entities: [ENTITY, altered] }, stored);
    expect(verdict.verified).to.equal(false);
    expect(verdict.reason).to.match(/^1 of 2 entities are not verified, the first at index 1: .*no proof/);
    expect(verdict.entries).to.deep.equal([
      { entityId: ENTITY.id, contentHash: HASH, verified: true },
      {
        entityId: altered.id,
        contentHash: hashOf(altered),
        verified: false,
        reason: verdict.entries![1]!.reason,
      },
    ]);
    // A stored proof that is wrong proves nothing.
    const wrong = await said(
      BATCHED,
      { entities: [ENTITY, altered] },
      async () => new Map([[hashOf(altered), TREE.proof(2)]]),
    );
    expect(wrong.entries!.map(({ verified }) => verified)).to.deep.equal([false, false]);
  });

  it('verifies an array with the one entity that was created', async () => {
    expect(await said(CREATED, { entities: [ENTITY] })).to.include({
      verified: true,
      operation: 'create',
      assetId: ASSET,
    });
    await unproved({ ...CREATED, status: '0x0' }, { entities: [ENTITY] }, /reverted/);
  });

  it('verifies the entity of a batch of one without a proof', async () => {
    const { root } = merkleTree([HASH]);
    const made = { events: [{ assetId: root, hash: root }] };
    expect(await said(made, { entity: ENTITY })).to.include({ verified: true, operation: 'upsert' });
    await unproved(made, { entityId: ENTITY.id, fragment: ENTITY }, /something else/);
    await unproved(made, { query: ENTITY }, /other content/);
  });

  it('checks every proof, given or stored', async () => {
    await unproved(BATCHED, { entity: ENTITY, proof: TREE.proof(1) }, /the proof does not lead/);
    await unproved(BATCHED, { entity: ENTITY, proof: [] }, /the proof does not lead/);
    const verdict = await said(BATCHED, { entity: ENTITY }, async () => new Map([[HASH, TREE.proof(2)]]));
    expect(verdict).to.include({ verified: false }).and.to.have.property('reason').that.includes('proof');
  });

  it('says that a batch needs a proof', async () => {
    await unproved(BATCHED, { entity: ENTITY }, /no proof is known/);
    const verdict = await said(BATCHED, { entity: ENTITY }, async () => new Map());
    expect(verdict.reason).to.match(/no proof is known/);
  });

  it('does not look up a stored proof without a batch', async () => {
    const never: StoredProofs = () => Promise.reject(new Error('asked'));
    await said(CREATED, { entity: ENTITY }, never);
    await said(CREATED, { entity: { ...ENTITY, type: 'X' } }, never);
    await said(BATCHED, { query: {} }, never);
    await said(BATCHED, { entity: ENTITY, proof: TREE.proof(0) }, never);
  });

  it('does not verify a fragment or a query with a batch', async () => {
    await unproved(BATCHED, { entityId: ENTITY.id, fragment: ENTITY }, /something else/);
    await unproved(BATCHED, { query: {}, relatedEntity: ENTITY.id }, /something else/);
  });

  it('rejects changed content, and names both hashes', async () => {
    const entity = { ...ENTITY, type: 'Castle' };
    const verdict = await said(CREATED, { entity });
    expect(verdict).to.include({ verified: false, entityId: ENTITY.id, hash: hashOf(entity), ...placed });
    expect(verdict.reason).to.include(HASH).and.to.include(hashOf(entity));
  });

  it('rejects any change of any content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), async (was, is) => {
        const [content, other] = [was, is].map((text) => ({ value: JSON.parse(text) as unknown }));
        const made = { events: [{ assetId: ASSET, hash: hashOf(content) }] };
        const { verified } = await said(made, { entityId: ENTITY.id, fragment: other! });
        expect(verified).to.equal(hashOf(content) === hashOf(other));
      }),
    );
  });

  it('finds the record among others of one transaction', async () => {
    const noise = { assetId: HASH, hash: ASSET };
    const events = [noise, { assetId: ASSET, hash: HASH }, ...BATCHED.events];
    expect(await said({ events }, { entity: ENTITY })).to.include({ verified: true, operation: 'create' });
    const proof = TREE.proof(1);
    expect(await said({ events }, { entity: BATCH[1]!, proof })).to.include({
      verified: true,
      hash: TREE.root,
    });
  });

  it('counts only events of the contract', async () => {
    const events = [{ assetId: ASSET, hash: HASH, contract: OTHER_CONTRACT }];
    await unproved(
      { events },
      { entity: ENTITY },
      new RegExp(`in the contract ${CONTRACT}.*${OTHER_CONTRACT}`),
    );
    await unproved({ events: [] }, { entity: ENTITY }, /has no event/);
  });

  it('does not count a transaction that was reverted', async () => {
    await unproved({ ...CREATED, status: '0x0' }, { entity: ENTITY }, /reverted/);
  });

  it('names a transaction that is in no block yet', async () => {
    const verdict = await said({ ...CREATED, pending: true }, { entity: ENTITY });
    const nowhere = { blockNumber: null, blockHash: null, recordedAt: null };
    expect(verdict).to.deep.include({ verified: false, from: FROM, assetId: ASSET, hash: HASH, ...nowhere });
    expect(verdict.reason).to.equal('the transaction is in no block yet');
  });

  it('does not count a block that a reorganisation removed', async () => {
    await unproved({ ...CREATED, moving: true }, { entity: ENTITY }, /not part of the chain/);
    expect(await said({ ...CREATED, moved: true }, { entity: ENTITY })).to.have.property('verified', true);
  });

  it('is not-found for an unknown transaction', async () => {
    const transactionHash: Hex = `0x${'00'.repeat(32)}`;
    const claim: Claim = { transactionHash, entity: ENTITY };
    const refusal = await refusedLater(verify(claim, { chain: madeChain(CREATED) }));
    expect(refusal).to.include({ code: 'not-found' });
    expect(refusal.message).to.include(transactionHash);
  });

  for (const [fault, code] of [
    [new ChainUnavailable('down'), 'unavailable'],
    [new ChainMisfit('another chain'), 'bad-gateway'],
  ] as const) {
    it(`is refused as ${code} when the chain throws ${fault.name}`, async () => {
      for (const method of ['receipt', 'transaction', 'block'] as const) {
        const made = madeChain({ ...CREATED, pending: method === 'transaction' });
        const claim: Claim = { transactionHash: made.transactionHash, entity: ENTITY };
        const chain = { ...made, [method]: () => Promise.reject(fault) };
        expect(await refusedLater(verify(claim, { chain }))).to.include({ code });
      }
    });
  }

  it('refuses content without a canonical form, with its place', async () => {
    const content: Content = { query: { limit: Infinity } };
    const refusal = await refusedLater(said(CREATED, content));
    expect(refusal).to.include({ code: 'bad-request' });
    expect(refusal.message).to.match(/^query\.limit: /);
  });
});
