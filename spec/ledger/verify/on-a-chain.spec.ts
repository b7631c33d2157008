import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openChain } from '../../../src/chain/open.js';
import type { Chain, Hex } from '../../../src/chain/port.js';
import { timestampCall } from '../../../src/chain/timestamp-call.js';
import { TIMESTAMPER_BYTECODE } from '../../../src/chain/timestamper.js';
import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import { merkleTree } from '../../../src/ledger/content/merkle.js';
import { verify } from '../../../src/ledger/verify/verify.js';
import type { Verdict } from '../../../src/ledger/shapes.js';
import type { Anvil } from '../../servers/chain.js';
import { sharedAnvil } from '../../servers/shared-chain.js';
import { refusedLater } from '../../policy/http/refused.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const ENTITY = { id: 'urn:ngsi-ld:Building:1', type: 'Building' };
const BATCH = [ENTITY, { id: 'urn:b', type: 'B' }, { id: 'urn:c', type: 'C' }];
const TREE = merkleTree(BATCH.map(hashOf));
const RECORD = timestampCall(assetIdOf(ENTITY.id), hashOf(ENTITY));

describe('verification on a chain', () => {
  let chain: Chain;
  let from: Hex;
  let contract: Hex;
  afterEach(() => chain.close());
  // A spec mines the blocks.
  const shared = sharedAnvil(['--no-mining'], async (anvil) => {
    node = anvil;
    [from] = (await node.rpc('eth_accounts', [])) as [Hex];
    contract = await deployed();
  });
  let node: Anvil;
  beforeEach(async () => {
    node = shared();
    chain = await openChain({
      url: node.url,
      contract,
      gasPriceFactor: 1,
      gasLimit: undefined,
      finality: 12,
      now: Date.now,
    });
  });

  const send = async (transaction: Record<string, unknown>): Promise<Hex> =>
    (await node.rpc('eth_sendTransaction', [{ from, gas: '0x186a0', ...transaction }])) as Hex;
  const mined = async (transaction: Record<string, unknown>): Promise<Hex> => {
    const hash = await send(transaction);
    await node.rpc('evm_mine', []);
    return hash;
  };
  const receiptOf = (hash: Hex) =>
    node.rpc('eth_getTransactionReceipt', [hash]) as Promise<{ contractAddress: Hex; blockHash: Hex }>;
  const deployed = async (): Promise<Hex> =>
    (await receiptOf(await mined({ data: TIMESTAMPER_BYTECODE }))).contractAddress;
  const said = (transactionHash: Hex, entity: typeof ENTITY, proof?: Hex[]): Promise<Verdict> =>
    verify({ transactionHash, entity, ...(proof && { proof }) }, { chain });

  it('verifies recorded content, and rejects changed content', async () => {
    const hash = await mined({ to: contract, data: RECORD });
    const { blockHash } = await receiptOf(hash);
    const verdict = await said(hash, ENTITY);
    expect(verdict).to.include({ verified: true, operation: 'create', from, blockHash, blockNumber: 2 });
    expect(Math.abs(Date.parse(verdict.recordedAt!) - Date.now())).to.be.below(60_000);
    expect(await said(hash, { ...ENTITY, type: 'X' })).to.include({ verified: false, blockHash });
  });

  it('verifies each entity of a batch with its proof alone', async () => {
    const hash = await mined({ to: contract, data: timestampCall(TREE.root, TREE.root) });
    for (const [index, entity] of BATCH.entries()) {
      expect(await said(hash, entity, TREE.proof(index))).to.include({ verified: true, operation: 'upsert' });
      expect(await said(hash, entity, TREE.proof((index + 1) % 3))).to.include({ verified: false });
      expect(await said(hash, entity)).to.include({ verified: false });
    }
  });

  it('counts neither another contract nor a reverted call', async () => {
    const other = await mined({ to: await deployed(), data: RECORD });
    expect((await said(other, ENTITY)).reason).to.include('another contract');
    const reverted = await mined({ to: contract, data: RECORD.slice(0, 20) });
    expect((await said(reverted, ENTITY)).reason).to.include('reverted');
    const plain = await mined({ to: from, data: RECORD });
    expect((await said(plain, ENTITY)).reason).to.include('no event');
  });

  it('verifies nothing before the transaction is in a block', async () => {
    const hash = await send({ to: contract, data: RECORD });
    expect(await said(hash, ENTITY)).to.include({ verified: false, blockNumber: null, from });
    await node.rpc('evm_mine', []);
    expect(await said(hash, ENTITY)).to.include({ verified: true });
  });

  it('rejects a transaction that a reorganisation removed', async () => {
    const before = await node.rpc('evm_snapshot', []);
    const hash = await mined({ to: contract, data: RECORD });
    expect(await said(hash, ENTITY)).to.include({ verified: true });
    await node.rpc('evm_revert', [before]);
    await node.rpc('evm_mine', []);
    expect(await refusedLater(said(hash, ENTITY))).to.include({ code: 'not-found' });
  });

  it('is available as a command that needs the node alone', async () => {
    const hash = await mined({ to: contract, data: RECORD });
    const run = (url: string, entity: typeof ENTITY): Promise<{ code: unknown; text: string }> =>
      new Promise((resolve) => {
        const args = [MAIN, 'verify', '--rpc', url, '--transaction', hash, '--entity', '-'];
        const child = execFile(process.execPath, args, { env: {} }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, text: stdout + stderr }),
        );
        child.stdin!.end(JSON.stringify(entity));
      });
    for (const url of [node.url, node.wsUrl]) {
      const { code, text } = await run(url, ENTITY);
      expect(code, text).to.equal(0);
      expect(text)
        .to.match(/^VERIFIED: /)
        .and.to.include(from);
    }
    expect(await run(node.url, { ...ENTITY, type: 'X' })).to.have.property('code', 1);
    await node.stop();
    expect(await run(node.url, ENTITY)).to.have.property('code', 2);
  });

  it('is unavailable while the node is down', async () => {
    const hash = await mined({ to: contract, data: RECORD });
    await node.stop();
    expect(await refusedLater(said(hash, ENTITY))).to.include({ code: 'unavailable' });
  });
});
