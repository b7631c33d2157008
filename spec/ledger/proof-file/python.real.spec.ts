import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { writtenFiles } from '../../written-files.js';
import { badVectors } from './bad-vectors.js';
import { mutationsOf } from './mutations.js';
import { allVectors } from './vector-files.js';
import { goodVectors, largeVector } from './vectors.js';
import { asProgram, byCommand, byPython, pythonCopies, SCRIPT, specPython } from './verifiers.js';

/** PROOF_MUTATIONS=full makes as many as a release needs. */
const COUNT = process.env['PROOF_MUTATIONS'] === 'full' ? 200 : 20;
/** The verifiers name faults of JSON in their own words. */
const OWN_WORDS = /It cannot be read: (?!it has another form\.)[^\n]*/;

describe('examples/verify_proof.py', () => {
  specPython();
  const written = writtenFiles();

  it('prints for each test vector what the command prints', async () => {
    const vectors = [...(await allVectors()), await largeVector(130_000)];
    const runs = await byPython(vectors, written);
    const plain = (out: string): string => out.replace(OWN_WORDS, 'It cannot be read: it has another form.');
    for (const [i, vector] of vectors.entries()) {
      const command = await byCommand(vector, written);
      expect(plain(runs[i]!.out), vector.name).to.equal(plain(command.out));
      expect(runs[i]!.code, vector.name).to.equal(vector.step === undefined ? 0 : 1);
    }
    expect(runs.length).to.equal(vectors.length);
  });

  it('exits with 0, 1 or 2 as a program, and has at most 250 lines', async () => {
    const [good, bad] = [await goodVectors(), await badVectors()].map(([first]) => first!);
    expect(await asProgram(good!, written)).to.deep.include({ code: 0 });
    expect(await asProgram(bad!, written)).to.deep.include({ code: 1 });
    const malformed = { ...good!, expected: { blockHash: '0x12' as const } };
    expect(await asProgram(malformed, written)).to.deep.equal({ code: 2, out: '' });
    expect((await readFile(SCRIPT, 'utf8')).trimEnd().split('\n').length).to.be.at.most(250);
  });

  it('copies each byte of a list as often as it is nested, however many items the list has', async () => {
    expect(await pythonCopies()).to.be.within(1, 4);
  });

  it(`refuses ${COUNT} random changes, and so does the command`, async () => {
    const seed = Math.floor(Math.random() * 1e9);
    console.log(`        seed ${seed}`);
    const next = mutationsOf(await goodVectors(), seed);
    const mutations = Array.from({ length: COUNT }, next);
    const runs = await byPython(
      mutations.map(({ vector }) => vector),
      written,
    );
    for (const [i, { what, vector }] of mutations.entries()) {
      const command = await byCommand(vector, written);
      expect([runs[i]!.code, command.code], `seed ${seed}, ${what}`).to.deep.equal([1, 1]);
    }
  });
});
