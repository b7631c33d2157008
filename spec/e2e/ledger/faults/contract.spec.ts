import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { deployTimestamper } from '../../../../src/embedded/chain/deploy.js';
import type { Hex } from '../../../../src/chain/port.js';
import { startProxy } from '../../../chain/proxy.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { type Anvil, startAnvil } from '../../../servers/chain.js';
import { request } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { expectProblem } from '../problem.js';
import { expectReceipt } from '../receipt-tables.js';
import { anyId, building, deployed, ENTITIES, ledgerClient, receiptIn, settingsFor } from '../scene.js';

/** Deploys the one byte 00: STOP. */
const STOP = '0x60016000f3';
const TOPIC = '0xa3865c00e01495fc2b86502cae36a4edb139f748682e7d80725a3d6571a482fa';

interface Health {
  readonly status: string;
  readonly parts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Deploys a proxy of a contract as EIP-1167 has it. */
function proxyOf(contract: Hex): string {
  return `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${contract.slice(2)}5af43d82803e903d91602b57fd5bf3`;
}

describe('a contract that does not emit its event', () => {
  const open = scenes();

  const chain = async (): Promise<Anvil> => open.keep(await startAnvil(), (anvil) => anvil.stop());
  const service = async (url: string, contract: string, settings: Record<string, string> = {}) => {
    const running = await open.service({ ...settingsFor(url, contract), ...settings });
    return { ...ledgerClient(running.url), running };
  };
  const health = async (url: string): Promise<Health> =>
    (await request(`${url}/health`, 'GET')).body as unknown as Health;
  const healthOnce = (url: string, holds: (health: Health) => boolean): Promise<Health> =>
    eventually(
      async () => {
        const now = await health(url);
        return holds(now) ? now : undefined;
      },
      SOON_MS,
      async () => JSON.stringify(await health(url)),
    );

  it('gives receipts that say so, whatever their status, and a warning', async () => {
    const anvil = await chain();
    const contract = await deployed(anvil, STOP);
    const ledger = await service(anvil.url, contract, { LOG_LEVEL: 'warn' });
    const entity = building();
    const key = { 'Idempotency-Key': 'k1' };
    const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, entity, key));
    expectReceipt(receipt);
    expect(receipt).to.deep.include({ status: '0x1', statusOK: false, logs: [] });
    const { reason } = receipt.additionalInformation;
    expect(reason).to.include('no event of the contract').and.include(contract);
    expect(await ledger.trace(entity.id)).to.deep.equal([receipt]);
    expect(receiptIn(await ledger.ask(`POST ${ENTITIES}`, entity, key)), 'repeated').to.deep.equal(receipt);
    const { transactionHash } = receipt;
    const verdict = await ledger.ask('POST /ledger/verify', { transactionHash, entity });
    expect(verdict.body).to.deep.include({ verified: false, reason });

    const { status, parts } = await healthOnce(ledger.url, ({ parts }) => parts?.['chain'] !== undefined);
    expect(status).to.equal('degraded');
    expect(parts!['chain']).to.include({ status: 'up' }).and.not.to.have.property('detail');
    expect(parts!['chain']!['warning']).to.include('CHAIN_CONTRACT').and.include(contract);
    expect(ledger.running.logged.join('\n')).to.include('cannot emit the event');
    // It is a warning: nothing is refused for it.
    receiptIn(await ledger.ask(`POST ${ENTITIES}`, building()));
  });

  it('is not a proxy of one that does', async () => {
    const anvil = await chain();
    const proxy = await deployed(anvil, proxyOf(await deployTimestamper(anvil.url)));
    const ledger = await service(anvil.url, proxy);
    const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, building()));
    expect(receipt).to.include({ statusOK: true, to: proxy });
    expect(receipt.logs[0]).to.deep.include({ address: proxy });
    expect(await health(ledger.url)).to.deep.equal({ status: 'ok' });
  });
});

describe('the contract on the chain in the process', () => {
  const open = scenes();

  it('is deployed again if the chain starts without it, and what was recorded before is recorded there', async () => {
    const { url, folder } = await open.service({ LEDGER: 'on' });
    const ledger = ledgerClient(url);
    const entity = building();
    const before = receiptIn(await ledger.ask(`POST ${ENTITIES}`, entity));
    const chainFolder = join(folder, 'chain');
    const pid = Number(await readFile(join(chainFolder, 'node.pid'), 'utf8'));
    for (const state of ['state.json', 'state.previous.json'])
      await rm(join(chainFolder, state), { force: true });
    process.kill(pid, 'SIGKILL');
    const again = await eventually(
      async () => {
        const [receipt] = await ledger.trace(entity.id);
        return receipt?.blockHash === before.blockHash ? undefined : receipt;
      },
      SOON_MS,
      () => 'it is not recorded on the new chain',
    );
    expect(again).to.include({ transactionHash: before.transactionHash, statusOK: true });
    expect(receiptIn(await ledger.ask(`POST ${ENTITIES}`, building()))).to.include({ statusOK: true });
  });
});

describe('a contract that is taken away', () => {
  const open = scenes();
  let anvil: Anvil;
  let contract: Hex;
  let code: unknown;

  beforeEach(async () => {
    anvil = open.keep(await startAnvil(), (one) => one.stop());
    contract = await deployTimestamper(anvil.url);
    code = await anvil.rpc('eth_getCode', [contract, 'latest']);
  });

  const start = async (url = anvil.url, settings: Record<string, string> = {}) => {
    const { url: at } = await open.service({ ...settingsFor(url, contract), ...settings });
    return ledgerClient(at);
  };
  const nonceOf = async (account: string): Promise<number> =>
    Number(await anvil.rpc('eth_getTransactionCount', [account, 'latest']));

  it('is 502 from the first receipt on that lacks the event; nothing is sent until it is back', async () => {
    const ledger = await start();
    const { headers, address } = await ledger.account();
    const create = (id = anyId()) => ledger.ask(`POST ${ENTITIES}`, building(id), headers);
    expect(receiptIn(await create())).to.include({ statusOK: true });
    await anvil.rpc('anvil_setCode', [contract, '0x']);
    const unrecorded = receiptIn(await create());
    expect(unrecorded).to.include({ statusOK: false, status: '0x1' });
    const missing = await eventually(
      async () => {
        const answer = await create();
        return answer.status === 502 ? answer : undefined;
      },
      SOON_MS,
      () => 'it goes on sending',
    );
    expectProblem(missing, 502, 'about:blank', contract, 'CHAIN_CONTRACT');
    const sent = await nonceOf(address);
    const id = anyId();
    for (let n = 0; n < 5; n += 1) expect((await create(id)).status).to.equal(502);
    const { parts } = await eventually(
      async () => {
        const body = (await request(`${ledger.url}/health`, 'GET')).body as unknown as Health;
        return body.parts?.['chain']?.['status'] === 'away' ? body : undefined;
      },
      SOON_MS,
      () => 'health does not name it',
    );
    expect(parts!['chain']!['detail'])
      .to.include('does not fit: There is no contract at')
      .and.include(contract);
    expect([await nonceOf(address), await ledger.trace(id)]).to.deep.equal([sent, []]);

    await anvil.rpc('anvil_setCode', [contract, code]);
    const recorded = await eventually(
      async () => {
        const answer = await create(id);
        return answer.status === 200 ? answer : undefined;
      },
      SOON_MS,
      async () => (await create(id)).text,
    );
    expect(receiptIn(recorded)).to.include({ statusOK: true });
    expect((await ledger.trace(id)).length).to.equal(1);
    // The service looks at a part once it knows that the part is back.
    await eventually(
      async () =>
        (await request(`${ledger.url}/health`, 'GET')).body['status'] === ('ok' as never) ? true : undefined,
      SOON_MS,
      async () => (await request(`${ledger.url}/health`, 'GET')).text,
    );
  });

  it('keeps what was recorded before waiting, when the chain’s node comes back empty', async () => {
    const ledger = await start(anvil.url, { LEDGER_WAIT_S: '2' });
    const { headers, address } = await ledger.account();
    const ids = Array.from({ length: 5 }, () => anyId());
    for (const id of ids) receiptIn(await ledger.ask(`POST ${ENTITIES}`, building(id), headers));
    await anvil.kill('SIGKILL');
    const open504 = ledger.ask(`POST ${ENTITIES}`, building(), headers);
    await anvil.restart();
    // Until the service knows that its blocks are gone, and has had the time to send them again.
    const gone = async () => ((await ledger.trace(ids[4]!)).length === 0 ? true : undefined);
    await eventually(gone, SOON_MS, () => 'the loss of all blocks is not noticed');
    const missing = await ledger.ask(`POST ${ENTITIES}`, building(), headers);
    expectProblem(missing, 502, 'about:blank', contract);
    await open504;
    expect(await nonceOf(address)).to.equal(0);
    await deployTimestamper(anvil.url);
    for (const id of ids) {
      const there = async () => ((await ledger.trace(id)).length > 0 ? ledger.trace(id) : undefined);
      const [receipt, ...more] = await eventually(there, SOON_MS, () => `${id} is lost`);
      expect(more).to.deep.equal([]);
      expect(receipt).to.include({ statusOK: true });
      expect(receipt!.logs[0]!.topics).to.deep.equal([
        TOPIC,
        receipt!.additionalInformation.assetId,
        receipt!.additionalInformation.hash,
      ]);
    }
  });

  it('is noticed before a transaction is sent again that the node has forgotten', async () => {
    const ledger = await start(anvil.url, { LEDGER_WAIT_S: '6' });
    const { headers, address } = await ledger.account();
    await anvil.rpc('evm_setAutomine', [false]);
    const entity = building();
    const asked = ledger.ask(`POST ${ENTITIES}`, entity, headers);
    const pending = (): Promise<unknown> => anvil.rpc('eth_getTransactionCount', [address, 'pending']);
    await eventually(
      async () => ((await pending()) === '0x1' ? true : undefined),
      SOON_MS,
      () => 'it is not sent',
    );
    await anvil.rpc('anvil_setCode', [contract, '0x']);
    await anvil.rpc('anvil_dropAllTransactions');
    const why = async (): Promise<string> => (await request(`${ledger.url}/operator/accounts`, 'GET')).text;
    await eventually(
      async () => ((await why()).includes(`There is no contract at ${contract}`) ? true : undefined),
      SOON_MS,
      why,
    );
    expect(await pending()).to.equal('0x0');
    const waiting = await asked;
    expectProblem(waiting, 504, 'about:blank', 'signed, and waits for the contract', contract);
    await anvil.rpc('anvil_setCode', [contract, code]);
    await anvil.rpc('evm_setAutomine', [true]);
    const [receipt] = await eventually(
      async () => ((await ledger.trace(entity.id)).length > 0 ? ledger.trace(entity.id) : undefined),
      SOON_MS,
      why,
    );
    expect(receipt).to.include({ statusOK: true, transactionHash: waiting.body['transactionHash'] });
  });

  it('is not missing if the node does not say whether it is there', async () => {
    const proxy = open.keep(
      await startProxy(anvil.url, {
        refused: { eth_getCode: { code: -32_601, message: 'the method eth_getCode is not available' } },
      }),
      (one) => one.close(),
    );
    const ledger = await start(proxy.url);
    expect(receiptIn(await ledger.ask(`POST ${ENTITIES}`, building()))).to.include({ statusOK: true });
    expect((await request(`${ledger.url}/health`, 'GET')).body).to.deep.equal({ status: 'ok' });
  });
});
