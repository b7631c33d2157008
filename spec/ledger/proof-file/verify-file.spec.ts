import { expect } from 'chai';
import { type ProofFile, verifyProof } from '../../../src/library/proof.js';
import { hashed } from './changed-header.js';
import { CONTRACT, OTHER_CONTRACT, SIGNER } from './made-block.js';
import { mutationsOf } from './mutations.js';
import { BARN, goodVectors, largeVector, madeFile, neighbours } from './vectors.js';

/** PROOF_MUTATIONS=full makes as many as a release needs. */
const COUNT = process.env['PROOF_MUTATIONS'] === 'full' ? 10_000 : 1_000;
const CREATE = { operation: 'create', content: BARN } as const;

describe('a verified proof file', () => {
  let file: ProofFile;
  before(async () => {
    file = await madeFile(CREATE);
  });

  it('says what is proven, what only the file says, and what is left to trust', () => {
    const verdict = verifyProof(file, { entity: BARN });
    expect(verdict.steps.map(({ name }) => name).join(' ')).to.equal(
      'file content asset event receipt header transaction signature expected',
    );
    expect(verdict).to.deep.include({
      verified: true,
      unproven: { operation: 'create', content: 'entity' },
      trusted: ['blockHash', 'contract', 'from'],
    });
    expect(verdict.verified && verdict.proven).to.deep.include({
      chainId: 1337,
      entityId: BARN['id'],
      from: SIGNER,
      contract: CONTRACT,
      blockNumber: 42,
      blockHash: file.block.hash,
      recordedAt: '2026-01-01T00:00:00.000Z',
    });
  });

  it('leaves nothing to trust but what was not given, in any case of its digits', () => {
    const contract: `0x${string}` = `0x${CONTRACT.slice(2).toUpperCase()}`;
    const verdict = verifyProof(file, { entity: BARN }, { contract });
    expect(verdict).to.deep.include({ verified: true, trusted: ['blockHash', 'from'] });
    expect(verifyProof(file, { entity: BARN }, { contract: OTHER_CONTRACT }).verified).to.equal(false);
  });

  it('may have a header with an item of any length', () => {
    const items = Buffer.from(file.block.header.slice(2), 'hex').subarray(3);
    // 0xfa: a list whose length has three bytes.
    const list = (...content: Buffer[]): Buffer => {
      const body = Buffer.concat(content);
      return Buffer.concat([Uint8Array.of(0xfa, body.length >> 16, body.length >> 8, body.length), body]);
    };
    const block = hashed(file.block, list(items, list(Buffer.alloc(200_000, 0xc0))));
    const { steps } = verifyProof({ ...file, block }, { entity: BARN });
    expect(steps.filter(({ ok }) => !ok)).to.deep.equal([]);
  });

  it('may have a transaction of any length', async () => {
    for (const bytes of [130_000, 2_000_000]) {
      const large = await largeVector(bytes);
      const { steps } = verifyProof(large.file, { entity: large.content });
      expect(steps.filter(({ ok }) => !ok)).to.deep.equal([]);
    }
  });

  it('refuses expectations that are none', () => {
    expect(() => verifyProof(file, { entity: BARN }, { blockHash: '0x12' })).to.throw(
      TypeError,
      'blockHash must',
    );
    expect(() => verifyProof(file, { entity: BARN }, { from: '0x12' })).to.throw(TypeError, 'from must');
  });

  it('says that the operation of a batch is the file’s word alone', async () => {
    const batch = await madeFile({ ...CREATE, operation: 'upsert', others: neighbours(3) });
    const verdict = verifyProof({ ...batch, operation: 'replace' }, { entity: BARN });
    expect(verdict).to.deep.include({
      verified: true,
      unproven: { operation: 'replace', content: 'entity' },
    });
  });

  it('refuses an id that is not valid text, which has the bytes of another one', async () => {
    const update = await madeFile({ operation: 'update', content: { a: 1 }, entityId: 'urn:\uFFFD' });
    expect(verifyProof(update, { fragment: { a: 1 } }).verified).to.equal(true);
    const odd = { ...update, entityId: 'urn:\uD800' };
    expect(verifyProof(odd, { fragment: { a: 1 } }).steps.at(-1)).to.include({ name: 'file', ok: false });
  });

  it('refuses no content, and two', () => {
    expect(verifyProof(file, {}).steps.at(-1)).to.include({ name: 'content', ok: false });
    expect(verifyProof(file, { entity: BARN, fragment: BARN }).steps.at(-1)).to.include({ ok: false });
  });

  it('never throws for what it is given', () => {
    for (const odd of [
      undefined,
      null,
      1,
      'x',
      '',
      [],
      new Uint8Array([0xff]),
      { mirzamProof: 1 },
      () => 1,
    ]) {
      expect(verifyProof(odd, { entity: BARN }).verified).to.equal(false);
      expect(verifyProof(file, { entity: odd }).verified).to.equal(false);
    }
    const round: Record<string, unknown> = { ...BARN };
    round['self'] = round;
    expect(verifyProof(file, { entity: round }).verified).to.equal(false);
    const ends = { ...file, receipt: { proof: [`0x${'c1'.repeat(20_000)}`] } };
    expect(verifyProof(ends, { entity: BARN }).verified).to.equal(false);
  });

  it(`refuses ${COUNT} random changes of files and contents`, async () => {
    const seed = Math.floor(Math.random() * 1e9);
    const next = mutationsOf(await goodVectors(), seed);
    const refusedBy = new Map<string, number>();
    for (let i = 0; i < COUNT; i += 1) {
      const { what, vector } = next();
      const { verified, steps } = verifyProof(
        vector.file,
        { [vector.kind]: vector.content },
        vector.expected,
      );
      expect(verified, `seed ${seed}, ${what}`).to.equal(false);
      const { name } = steps.at(-1)!;
      refusedBy.set(name, (refusedBy.get(name) ?? 0) + 1);
    }
    console.log(`        seed ${seed}, refused by: ${JSON.stringify(Object.fromEntries(refusedBy))}`);
    // Were all refused by their form, the other steps would not be tried.
    expect(refusedBy.size).to.be.at.least(7);
  });
});
