import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { launcher, type Launcher } from '../../faults/stage/service-process.js';
import { type Anvil, startAnvil } from '../../servers/chain.js';
import { figuresOf } from './process-figures.js';
import { building, ledgerClient, receiptIn, settingsFor, UPSERT } from './scene.js';

const ENTITIES = 10_000;
/** Longest delay of the event loop in 99 of 100 rounds, ms. */
const LATE_MS = 50;

interface OnChain {
  readonly transactionHash: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[];
}

describe('a batch of 10,000 entities', () => {
  let anvil: Anvil;
  let services: Launcher;
  before(async () => {
    anvil = await startAnvil();
    const contract = await deployTimestamper(anvil.url);
    services = await launcher({ ...settingsFor(anvil.url, contract), LOG_LEVEL: 'info' });
  });
  after(async () => {
    await services?.close();
    await anvil?.stop();
  });

  it('is one transaction, its proofs hold, and no other caller waits for it', async () => {
    const { url } = await services.start();
    const ledger = ledgerClient(url);
    receiptIn(await ledger.ask(`POST ${UPSERT}`, [building(), building()]));
    const { address, headers } = await ledger.account();
    const batch = Array.from({ length: ENTITIES }, (_, n) =>
      building(`urn:ngsi-ld:Building:${n}`, `Barn ${n}`),
    );
    await figuresOf(url);
    const startedAt = performance.now();
    const answer = await ledger.ask(`POST ${UPSERT}`, JSON.stringify(batch), headers);
    const took = performance.now() - startedAt;
    const { delayP99, delayMax } = await figuresOf(url);
    const receipt = receiptIn(answer);
    console.log(
      `      ${ENTITIES} entities in ${took.toFixed(0)} ms; event loop late by ${delayP99.toFixed(1)} ms (p99), ${delayMax.toFixed(1)} ms (max)`,
    );
    expect(Number(await anvil.rpc('eth_getTransactionCount', [address, 'latest']))).to.equal(1);
    const { logs } = (await anvil.rpc('eth_getTransactionReceipt', [receipt.transactionHash])) as OnChain;
    expect(logs).to.have.length(1);
    const [, assetId, root] = logs[0]!.topics;
    expect(assetId).to.equal(root);
    const entries = receipt.additionalInformation.entities!;
    expect(entries.map(({ entityId }) => entityId)).to.deep.equal(batch.map(({ id }) => id));
    const bad = entries.filter(
      ({ hash, proof }) => !StandardMerkleTree.verify(root!, ['bytes32'], [hash], proof),
    );
    expect(bad).to.have.length(0);
    expect(new Set(entries.map(({ hash }) => hash)).size).to.equal(ENTITIES);
    expect(await ledger.count()).to.be.at.least(ENTITIES);
    const [last] = await ledger.trace(batch.at(-1)!.id);
    expect(last!.additionalInformation.entities).to.deep.equal([entries.at(-1)]);
    expect(delayP99).to.be.lessThan(LATE_MS);
  });
});
