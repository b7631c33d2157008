import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { verifyProof } from '../../../src/library/proof.js';
import { writtenFiles } from '../../written-files.js';
import { byCommand } from './verifiers.js';
import { allVectors, vectorFiles } from './vector-files.js';
import type { Vector } from './vectors.js';

const FOLDER = new URL('../../../../examples/proofs/', import.meta.url);

describe('the test vectors of proof files', () => {
  const written = writtenFiles();
  let vectors: readonly Vector[];
  before(async () => {
    vectors = await allVectors();
  });

  it('are those of examples/proofs, which node dist/scripts/proof-vectors.js writes', async () => {
    const made = await vectorFiles();
    const names = await readdir(FOLDER, { recursive: true });
    expect(names.filter((name) => name.endsWith('.json'))).to.have.members([...made.keys()]);
    for (const [name, text] of made)
      expect(await readFile(new URL(name, FOLDER)), name).to.deep.equal(Buffer.from(text));
  });

  it('are verified, or refused by their step', () => {
    for (const { name, file, kind, content, bytes, expected, step } of vectors) {
      const { verified, steps } = verifyProof(file, { [kind]: bytes ?? content }, expected);
      expect(verified, name).to.equal(step === undefined);
      expect(steps.at(-1), name).to.include({ name: step ?? 'expected', ok: step === undefined });
      expect(steps.slice(0, -1).every(({ ok }) => ok)).to.equal(true);
    }
    expect(vectors.filter(({ step }) => step !== undefined).length).to.be.at.least(30);
  });

  it('have the same verdict by their bytes, and good ones by their values', () => {
    for (const { name, file, kind, content, bytes, expected, step } of vectors) {
      if (bytes !== undefined) continue;
      const verdict = verifyProof(Buffer.from(file), { [kind]: Buffer.from(content) }, expected);
      expect(verdict, name).to.deep.equal(verifyProof(file, { [kind]: content }, expected));
      if (step !== undefined) continue;
      const [proof, value] = [file, content].map((text): unknown => JSON.parse(text.replace(/^\uFEFF/, '')));
      expect(verifyProof(proof, { [kind]: value }, expected).verified, name).to.equal(true);
    }
  });

  it('have the same verdict by the command', async () => {
    for (const vector of vectors) {
      const { code, out } = await byCommand(vector, written);
      expect(code, vector.name).to.equal(vector.step === undefined ? 0 : 1);
      const last =
        vector.step === undefined ? /^VERIFIED under the block hash 0x/m : `refused  ${vector.step}`;
      if (typeof last === 'string') expect(out).to.include(last);
      else expect(out).to.match(last);
    }
  });
});
