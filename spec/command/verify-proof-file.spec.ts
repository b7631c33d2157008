import { Readable } from 'node:stream';
import { expect } from 'chai';
import { runCommandLine } from '../../src/command/command-line.js';
import type { ProofFile } from '../../src/library/proof.js';
import { CONTRACT, OTHER_CONTRACT, SIGNER } from '../ledger/proof-file/made-block.js';
import { BARN, madeFile } from '../ledger/proof-file/vectors.js';
import { writtenFiles } from '../written-files.js';

describe('mirzam verify with a proof file', () => {
  const written = writtenFiles();
  let file: ProofFile;
  let given: readonly string[];
  before(async () => {
    file = await madeFile({ operation: 'create', content: BARN });
  });
  beforeEach(async () => {
    given = ['--proof', await written.file('proof', file), '--entity', await written.file('barn', BARN)];
  });

  async function run(args: readonly string[], stdin = '') {
    let [out, err] = ['', ''];
    const streams = {
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    };
    const code = await runCommandLine(['verify', ...args], {
      streams,
      version: '1',
      environment: () => ({}),
    });
    return { code, out, err };
  }

  it('prints each step, and what is left to trust', async () => {
    const { code, out, err } = await run([...given, '--contract', CONTRACT]);
    expect([code, err]).to.deep.equal([0, '']);
    expect(out.split('\n').slice(0, 9).join('\n')).to.match(/^(?:ok {7}\w+ +[A-Z][^\n]+\.(?:\n|$)){9}$/);
    expect(out.split('\n').slice(9)).to.deep.equal([
      `VERIFIED under the block hash ${file.block.hash}`,
      '  only the file says: the operation is create, of the kind entity',
      `  left to trust: block hash ${file.block.hash}`,
      `  as given:      contract ${CONTRACT}`,
      `  left to trust: signer ${SIGNER}`,
      '',
    ]);
  });

  it('says which step fails, and exits with 1', async () => {
    const blue = await written.file('blue', { ...BARN, name: 'The big blue barn' });
    const { code, out } = await run(['--proof', given[1]!, '--entity', blue]);
    expect(code).to.equal(1);
    expect(out).to.match(
      /^ok +file .*\nrefused  content +The entity has the hash 0x.*\nNOT VERIFIED: the step content fails\n$/,
    );
    for (const wrong of [
      ['--block-hash', `0x${'00'.repeat(32)}`],
      ['--contract', OTHER_CONTRACT],
      ['--from', OTHER_CONTRACT],
    ])
      expect((await run([...given, ...wrong])).out).to.include('refused  expected');
  });

  it('reads one file from the standard input, and answers in JSON', async () => {
    const proof = JSON.stringify(file);
    const { code, out } = await run(['--proof', '-', ...given.slice(2), '--json'], proof);
    expect(code).to.equal(0);
    expect(JSON.parse(out)).to.deep.include({
      verified: true,
      unproven: { operation: 'create', content: 'entity' },
    });
    expect(await run([...given.slice(0, 3), '-'], JSON.stringify(BARN))).to.include({ code: 0 });
  });

  it('exits with 2 for options that do not fit, and says which', async () => {
    const array = await written.file('array', []);
    for (const [args, part] of [
      [[...given, '--rpc', 'http://127.0.0.1:1'], 'leave --rpc out'],
      [[...given, '--entity-id', 'urn:x'], 'exactly one of'],
      [[...given, '--related-entity', 'urn:x'], 'leave --related-entity out'],
      [[...given, '--block-hash', '0x12'], '--block-hash must be 0x and 64'],
      [[...given, '--from', 'me'], '--from must be 0x and 40'],
      [['--proof', written.pathOf('none'), ...given.slice(2)], 'there is no such file'],
      [['--proof', array, ...given.slice(2), '--from', SIGNER], 'are for a proof file'],
      [given.slice(0, 2), 'exactly one of'],
    ] as const) {
      const { code, out, err } = await run(args);
      expect([code, out], part).to.deep.equal([2, '']);
      expect(err).to.include(part);
    }
  });

  it('takes an array as the proof of a batch, which needs a node', async () => {
    const array = await written.file('array', []);
    const { code, err } = await run(['--proof', array, ...given.slice(2)]);
    expect(code).to.equal(2);
    expect(err).to.include('transactionHash');
  });
});
