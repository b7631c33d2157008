import { Readable } from 'node:stream';
import { expect } from 'chai';
import { ChainUnavailable } from '../../src/chain/port.js';
import { assetIdOf, hashOf } from '../../src/ledger/content/content-hash.js';
import { merkleTree } from '../../src/ledger/content/merkle.js';
import { runCommandLine } from '../../src/command/command-line.js';
import { verifyCommand } from '../../src/command/verify.js';
import { CONTRACT, type Made, madeChain, OTHER_CONTRACT } from '../ledger/verify/made-chain.js';
import { writtenFiles } from '../written-files.js';

const ENTITY = { id: 'urn:ngsi-ld:Building:1', type: 'Building' };
const ASSET = assetIdOf(ENTITY.id);
const CREATED: Made = { events: [{ assetId: ASSET, hash: hashOf(ENTITY) }] };
const BATCH = [{ id: 'urn:b', type: 'B' }, ENTITY];
const TREE = merkleTree(BATCH.map(hashOf));
const BATCHED: Made = { events: [{ assetId: TREE.root, hash: TREE.root }] };
const { transactionHash } = madeChain(CREATED);

/** The command with a chain of its own. */
function commandsWith(openChain: Parameters<typeof verifyCommand>[0]) {
  return [{ name: 'verify', summary: 'checks', load: async () => verifyCommand(openChain) }];
}

describe('mirzam verify', () => {
  const written = writtenFiles();

  /** Runs the command on a simulated chain. `asked` is the address that it opened. */
  async function run(made: Made, args: readonly string[], stdin = '') {
    let [out, err, closed] = ['', '', 0];
    const asked: string[] = [];
    const streams = {
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    };
    const commands = commandsWith(async (url) => {
      asked.push(url);
      return { ...madeChain(made), close: async () => void (closed += 1) };
    });
    const code = await runCommandLine(['verify', ...args], { streams, version: '1.2.3', commands });
    expect(closed).to.equal(asked.length);
    return { code, out, err, asked };
  }
  const rpc = ['--rpc', 'http://node.example:8545'];
  const on = [...rpc, '--transaction', transactionHash];

  it('prints that an entity was recorded, by which account, where and when', async () => {
    const { code, out, err, asked } = await run(CREATED, [
      ...on,
      '--entity',
      await written.file('e', ENTITY),
    ]);
    expect(code).to.equal(0);
    expect(err).to.equal('');
    expect(asked).to.deep.equal(['http://node.example:8545']);
    expect(out).to.match(/^VERIFIED: /);
    for (const part of [
      ENTITY.id,
      transactionHash,
      'create',
      '300, 0xb1b1',
      '2026-01-15T12:00:00.000Z',
      '0xf0f0',
    ])
      expect(out).to.include(part);
    expect(out).to.match(new RegExp(`contract +${CONTRACT} \\(the one that the transaction calls`));
  });

  it('prints what was found instead', async () => {
    const { code, out } = await run(CREATED, [
      ...on,
      '--entity',
      await written.file('e', { ...ENTITY, type: 'X' }),
    ]);
    expect(code).to.equal(1);
    expect(out).to.match(/^NOT VERIFIED: the transaction has recorded other content/);
  });

  it('requires the given contract, in any case of its digits', async () => {
    const entity = ['--entity', await written.file('e', ENTITY)];
    const upper = `0x${CONTRACT.slice(2).toUpperCase()}`;
    const right = await run(CREATED, [...on, ...entity, '--contract', upper]);
    expect(right.code).to.equal(0);
    expect(right.out).to.include(CONTRACT).and.not.to.include('insists');
    const wrong = await run(CREATED, [...on, ...entity, '--contract', OTHER_CONTRACT]);
    expect(wrong.code).to.equal(1);
    expect(wrong.out).to.include('another contract');
  });

  it('answers in JSON', async () => {
    const { code, out } = await run(CREATED, [...on, '--json', '--entity', await written.file('e', ENTITY)]);
    expect(code).to.equal(0);
    expect(JSON.parse(out)).to.include({
      verified: true,
      operation: 'create',
      blockNumber: 300,
      transactionHash,
      contract: CONTRACT,
      contractFromTransaction: true,
    });
  });

  it('reads content from the standard input', async () => {
    expect(await run(CREATED, [...on, '--entity', '-'], JSON.stringify(ENTITY))).to.include({ code: 0 });
  });

  it('exits with 2 for content with two members of one name or an inexact integer, without a request', async () => {
    const id = '"id":"urn:ngsi-ld:Building:1"';
    for (const [more, place] of [
      [id, 'id'],
      ['"n":9007199254740992', 'n'],
    ] as const) {
      const path = await written.file('e', `{${id},"type":"Building",${more}}`);
      const { code, err, asked } = await run(CREATED, [...on, '--entity', path]);
      expect(code).to.equal(2);
      expect(err).to.contain(`${path}: ${place}: must `);
      expect(asked).to.deep.equal([]);
    }
  });

  it('accepts fragments and queries', async () => {
    const fragment = { name: 'x' };
    const updated: Made = { events: [{ assetId: ASSET, hash: hashOf(fragment) }] };
    const of = ['--entity-id', ENTITY.id, '--fragment', await written.file('f', fragment)];
    expect(await run(updated, [...on, ...of])).to.include({ code: 0 });
    const query = { type: 'Building' };
    const asked: Made = { events: [{ assetId: assetIdOf('urn:u'), hash: hashOf(query) }] };
    const by = ['--query', await written.file('q', query), '--related-entity'];
    expect(await run(asked, [...on, ...by, 'urn:u'])).to.include({ code: 0 });
    expect(await run(asked, [...on, ...by, 'urn:v'])).to.include({ code: 1 });
  });

  it('reads the proof from a file, or with the transaction from a receipt', async () => {
    const entity = ['--entity', await written.file('e', ENTITY)];
    const proof = TREE.proof(1);
    expect(await run(BATCHED, [...on, ...entity, '--proof', await written.file('p', proof)])).to.include({
      code: 0,
    });
    expect(await run(BATCHED, [...on, ...entity])).to.include({ code: 1 });
    const entries = BATCH.map(({ id }, index) => ({
      entityId: id,
      hash: hashOf(BATCH[index]),
      proof: TREE.proof(index),
    }));
    const stale = { entityId: ENTITY.id, hash: TREE.root, proof: [] };
    const receipt = { transactionHash, additionalInformation: { entities: [stale, ...entries] } };
    const from = ['--receipt', await written.file('r', receipt)];
    expect(await run(BATCHED, [...rpc, ...entity, ...from])).to.include({ code: 0 });
    expect(await run(BATCHED, [...on, ...entity, ...from])).to.include({ code: 0 });
    const changed = ['--entity', await written.file('c', { ...ENTITY, type: 'X' })];
    const { code, out } = await run(BATCHED, [...rpc, ...changed, ...from]);
    expect(code).to.equal(1);
    expect(out).to.include('the proof does not lead');
  });

  it('compares an array of entities one by one, a part of a batch with the proofs of its receipt', async () => {
    const whole = await written.file('whole', BATCH);
    expect((await run(BATCHED, [...on, '--entity', whole])).code).to.equal(0);
    const receipt = await written.file('receipt', {
      transactionHash,
      additionalInformation: {
        entities: BATCH.map((entity, i) => ({
          entityId: entity.id,
          hash: hashOf(entity),
          proof: TREE.proof(i),
        })),
      },
    });
    const altered = { ...BATCH[0]!, altered: true };
    const part = await written.file('part', [ENTITY, altered]);
    const { code, out } = await run(BATCHED, [...rpc, '--receipt', receipt, '--entity', part]);
    expect(code).to.equal(1);
    expect(out).to.match(/^NOT VERIFIED: 1 of 2 entities are not verified, the first at index 1: /);
    expect(out).to.include(`not verified: entity 1, urn:b, hash ${hashOf(altered)}`);
    const own = await written.file('own', [ENTITY]);
    expect((await run(BATCHED, [...rpc, '--receipt', receipt, '--entity', own])).code).to.equal(0);
    expect((await run(BATCHED, [...on, '--entity', own])).code).to.equal(1);
  });

  it('exits with 1 for an unknown transaction', async () => {
    const unknown = `0x${'00'.repeat(32)}`;
    const args = [...rpc, '--transaction', unknown, '--entity', await written.file('e', ENTITY)];
    const { code, out, err } = await run(CREATED, args);
    expect(code).to.equal(1);
    expect(out).to.equal('');
    expect(err).to.include(unknown);
  });

  it('exits with 2 if the chain does not answer', async () => {
    let err = '';
    const write = (text: string): unknown => (err += text);
    const streams = { stdin: Readable.from([]), stdout: { write }, stderr: { write } };
    const args = [...on, '--entity', await written.file('e', ENTITY)];
    const down = (): never => {
      throw new ChainUnavailable('no answer from the node', { reason: 'connection refused' });
    };
    const commands = commandsWith(async () => down());
    expect(await runCommandLine(['verify', ...args], { streams, version: '1.2.3', commands })).to.equal(2);
    expect(err).to.match(/^mirzam verify: no node of a chain answers at --rpc \(connection refused\): /);
  });

  it('prints its usage', async () => {
    const { code, out, asked } = await run(CREATED, ['--help']);
    expect(code).to.equal(0);
    expect(out).to.match(/^Usage: mirzam verify --rpc URL/);
    expect(asked).to.deep.equal([]);
  });

  it('exits with 2 for unusable arguments, without a request', async () => {
    const entity = await written.file('e', ENTITY);
    const no = await written.file('no', '{"a":');
    for (const [args, message] of [
      [[], /exactly one of: --entity/],
      [['--entity', entity, '--rpc', 'http://x'], /transactionHash: must be/],
      [['--transaction', transactionHash, '--entity', entity], /--rpc must be/],
      [['--transaction', transactionHash, '--entity', entity, '--rpc', 'ftp://x'], /--rpc must be/],
      [[...on], /exactly one of: --entity; --entity-id and --fragment; --query/],
      [[...on, '--entity', entity, '--query', entity], /exactly one of/],
      [[...on, '--entity', written.pathOf('none')], /none: there is no such file/],
      [[...on, '--entity', no], /no: the body is not JSON/],
      [[...on, '--entity', '-', '--proof', '-'], /only one file can be -/],
      [[...on, '--entity', entity, '--contract', '0x12'], /--contract must be an address/],
      [[...on, '--entity', entity, '--receipt', entity], /--receipt must be a receipt/],
      [
        [...on, '--entity', entity, '--receipt', await written.file('l7', '{"txDetails":[]}')],
        /one of its txDetails/,
      ],
      [[...on, '--surprise'], /--surprise/],
      [[...on, '--entity'], /--entity/],
      [['more', ...on], /too many arguments/],
    ] as const) {
      const { code, out, err, asked } = await run(CREATED, args);
      expect(code, args.join(' ')).to.equal(2);
      expect(err)
        .to.match(message)
        .and.to.match(/^mirzam verify: .*\n.*--help/s);
      expect(out).to.equal('');
      expect(asked).to.deep.equal([]);
    }
  });

  it('refuses a receipt of another transaction', async () => {
    const receipt = await written.file('r', { transactionHash: `0x${'11'.repeat(32)}` });
    const { code, err } = await run(CREATED, [
      ...on,
      '--receipt',
      receipt,
      '--entity',
      await written.file('e', ENTITY),
    ]);
    expect(code).to.equal(2);
    expect(err).to.include('another transaction');
  });
});
