import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { deployTimestamper } from '../../../../src/embedded/chain/deploy.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { type Anvil, FREE_CHAIN, startAnvil } from '../../../servers/chain.js';
import { type RunningService, runService } from '../../running-service.js';
import { expectProblem } from '../problem.js';
import { expectReceipt } from '../receipt-tables.js';
import {
  anyId,
  building,
  deployed,
  ENTITIES,
  ledgerClient,
  openLedger,
  receiptIn,
  settingsFor,
  UPSERT,
} from '../scene.js';

/** A contract that reverts whatever it is asked. */
const REVERTING = '0x6460006000fd6000526005601bf3';

describe('a node of the chain that is not there', () => {
  let folder: string;
  let anvil: Anvil | undefined;
  let running: RunningService | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mirzam-chain-'));
    const state = ['--preserve-historical-states', '--state', join(folder, 'state.json')];
    anvil = await startAnvil([...FREE_CHAIN, ...state]);
  });
  afterEach(async () => {
    await running?.close();
    await anvil?.stop();
    await rm(folder, { recursive: true, force: true });
    running = anvil = undefined;
  });

  it('makes recording 503 while reading goes on, and recording continues when the node is back', async () => {
    running = await runService(settingsFor(anvil!.url, await deployTimestamper(anvil!.url)));
    const ledger = ledgerClient(running.url);
    const recorded = building();
    const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, recorded));
    const { headers } = await ledger.account();
    await anvil!.kill('SIGTERM');
    const id = anyId();
    for (const [asked, body] of [
      [`POST ${ENTITIES}`, building(id)],
      [`POST ${UPSERT}`, [building(id)]],
      [`GET /ngsi-ld/v1/entities/${id}`, undefined],
    ] as const) {
      const answer = await ledger.ask(asked, body, headers);
      const words = ['does not answer: connection refused', 'nothing was done'];
      expectProblem(answer, 503, 'about:blank', ...words);
      expect(answer.text).not.to.include(String(anvil!.port));
    }
    const { transactionHash } = receipt;
    const unproven = await ledger.ask('POST /ledger/verify', { transactionHash, entity: recorded });
    expectProblem(unproven, 503, 'about:blank', 'connection refused', 'nothing was verified');
    expect(await ledger.trace(recorded.id)).to.deep.equal([receipt]);
    expect(await ledger.trace(id)).to.deep.equal([]);
    await anvil!.restart();
    receiptIn(await ledger.ask(`POST ${ENTITIES}`, building(id), headers));
    expect(await ledger.trace(id)).to.have.length(1);
  });

  it('does not keep the service from starting; its ledger records once the node is there', async () => {
    const contract = await deployTimestamper(anvil!.url);
    await anvil!.kill('SIGTERM');
    running = await runService(settingsFor(anvil!.url, contract));
    const ledger = ledgerClient(running.url);
    const create = () => ledger.ask(`POST ${ENTITIES}`, building());
    expectProblem(await create(), 503, 'about:blank', 'does not answer');
    expect(await ledger.count()).to.equal(0);
    await anvil!.restart();
    const recorded = async () => ((await create()).status === 200 ? true : undefined);
    await eventually(recorded, SOON_MS, async () => (await create()).text);
  });

  it('that is another chain’s now: 502 that says so', async () => {
    running = await runService(settingsFor(anvil!.url, await deployTimestamper(anvil!.url)));
    const ledger = ledgerClient(running.url);
    await anvil!.rpc('anvil_setChainId', [7]);
    const answer = await ledger.ask(`POST ${ENTITIES}`, building());
    expectProblem(answer, 502, 'about:blank', 'on chain 7', '1337');
    expect(await ledger.count()).to.equal(0);
  });
});

describe('a contract that is not there', () => {
  it('is 502 that names it and the settings', async () => {
    const missing = `0x${'12'.repeat(20)}`;
    const ledger = await openLedger({ CHAIN_CONTRACT: missing });
    try {
      const { headers, address } = await ledger.account();
      const answer = await ledger.ask(`POST ${ENTITIES}`, building(), headers);
      expectProblem(answer, 502, 'about:blank', missing, 'CHAIN_CONTRACT');
      expect(await ledger.count()).to.equal(0);
      expect(await ledger.nonceOf(address)).to.equal(0);
    } finally {
      await ledger.close();
    }
  });
});

describe('on a chain of its own', () => {
  let anvil: Anvil;
  let running: RunningService | undefined;
  beforeEach(async () => {
    anvil = await startAnvil();
  });
  afterEach(async () => {
    await running?.close();
    await anvil.stop();
    running = undefined;
  });

  it('a contract that reverts gives receipts that say so, which are listed, and prove nothing', async () => {
    const contract = await deployed(anvil, REVERTING);
    running = await runService({ ...settingsFor(anvil.url, contract), GAS_LIMIT: '100000' });
    const ledger = ledgerClient(running.url);
    const entity = building();
    const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, entity));
    expectReceipt(receipt);
    expect(receipt).to.deep.include({ statusOK: false, status: '0x0', logs: [] });
    expect(await ledger.trace(entity.id)).to.deep.equal([receipt]);
    const { transactionHash } = receipt;
    const { body } = await ledger.ask('POST /ledger/verify', { transactionHash, entity });
    expect(body).to.include({ verified: false });
    receiptIn(await ledger.ask(`POST ${ENTITIES}`, entity));
  });

  it('a WebSocket leads to the chain as well, for many at once', async () => {
    running = await runService(settingsFor(anvil.wsUrl, await deployTimestamper(anvil.url)));
    const ledger = ledgerClient(running.url);
    const ids = Array.from({ length: 30 }, () => anyId());
    const answers = await Promise.all(ids.map((id) => ledger.ask(`POST ${ENTITIES}`, building(id))));
    for (const [n, answer] of answers.entries()) {
      expect(await ledger.trace(ids[n]!)).to.deep.equal([receiptIn(answer)]);
    }
  });
});
