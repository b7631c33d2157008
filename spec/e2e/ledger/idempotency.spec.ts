import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { type Anvil, startAnvil } from '../../servers/chain.js';
import { type RunningService, runService } from '../running-service.js';
import { startFickleVault } from './faults/fickle-vault.js';
import { expectProblem } from './problem.js';
import {
  anyId,
  building,
  ENTITIES,
  ledgerClient,
  receiptIn,
  settingsFor,
  sharedLedger,
  UPSERT,
} from './scene.js';

describe('an Idempotency-Key', () => {
  const ledger = sharedLedger();
  const keyed = (key: string, more: object = {}): Record<string, string> => ({
    'Idempotency-Key': key,
    ...more,
  });

  it('gives the first receipt for the same content, whatever its order and blanks', async () => {
    const entity = building();
    const key = keyed(anyId());
    const first = receiptIn(await ledger().ask(`POST ${ENTITIES}`, entity, key));
    const { name, ...rest } = entity;
    const otherwise = JSON.stringify({ name, ...rest }, null, 4);
    for (const body of [entity, otherwise])
      expect((await ledger().ask(`POST ${ENTITIES}`, body, key)).body).to.deep.equal(first);
    expect(await ledger().trace(entity.id)).to.have.length(1);
  });

  it('is 422 for other content: body, operation, path id, query, Related-Entity, tenant', async () => {
    const [id, other] = [anyId(), anyId()];
    const one = `/ngsi-ld/v1/entities/${id}`;
    const cases: readonly (readonly [string, unknown, object, string, unknown, object])[] = [
      [`POST ${ENTITIES}`, building(id), {}, `POST ${ENTITIES}`, building(id, 'small'), {}],
      [`POST ${ENTITIES}`, building(id), {}, `POST ${one}/attrs`, building(id), {}],
      [`POST ${one}/attrs`, { n: 1 }, {}, `POST /ngsi-ld/v1/entities/${other}/attrs`, { n: 1 }, {}],
      [`GET ${one}?attrs=a`, undefined, {}, `GET ${one}?attrs=b`, undefined, {}],
      [`GET ${one}`, undefined, {}, `GET ${one}`, undefined, { Link: '<http://x/c>' }],
      [
        `GET ${ENTITIES}`,
        undefined,
        { 'Related-Entity': id },
        `GET ${ENTITIES}`,
        undefined,
        { 'Related-Entity': other },
      ],
      [`POST ${UPSERT}`, [building(id)], {}, `POST ${UPSERT}?options=replace`, [building(id)], {}],
      [
        `POST ${UPSERT}`,
        [building(id), building(other)],
        {},
        `POST ${UPSERT}`,
        [building(other), building(id)],
        {},
      ],
      [`POST ${ENTITIES}`, building(id), {}, `POST ${ENTITIES}`, building(id), { 'NGSILD-Tenant': 'acme' }],
    ];
    for (const [request, body, headers, otherRequest, otherBody, otherHeaders] of cases) {
      const key = anyId();
      receiptIn(await ledger().ask(request, body, keyed(key, headers)));
      const count = (await ledger().trace(id)).length;
      const answer = await ledger().ask(otherRequest, otherBody, keyed(key, otherHeaders));
      expectProblem(answer, 422, 'about:blank', 'Idempotency-Key');
      expect(await ledger().trace(id)).to.have.length(count);
    }
  });

  it('is the account’s own: another one may use it for something else', async () => {
    const key = anyId();
    const signers = [await ledger().account(), await ledger().account()];
    for (const { headers, address } of signers) {
      const answer = await ledger().ask(`POST ${ENTITIES}`, building(), keyed(key, headers));
      expect(receiptIn(answer).from).to.equal(address);
    }
  });

  it('makes one transaction of many requests at once, and all get its receipt', async () => {
    const { headers, address } = await ledger().account();
    const entity = building();
    const key = keyed(anyId(), headers);
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => ledger().ask(`POST ${ENTITIES}`, entity, key)),
    );
    const [first, ...others] = answers.map(receiptIn);
    for (const other of others) expect(other).to.deep.equal(first);
    expect(await ledger().trace(entity.id)).to.have.length(1);
    expect(await ledger().nonceOf(address)).to.equal(1);
  });

  it('of many requests at once with two contents gives one of them 422', async () => {
    const id = anyId();
    const key = keyed(anyId());
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        ledger().ask(`POST ${ENTITIES}`, building(id, `Barn ${n % 2}`), key),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
      ...Array<number>(5).fill(200),
      ...Array<number>(5).fill(422),
    ]);
    expect(await ledger().trace(id)).to.have.length(1);
  });

  it('is not used up by a failure before the signature', async () => {
    const vault = await startFickleVault();
    try {
      const id = anyId();
      const key = keyed(anyId(), vault.headers);
      vault.become({ is: 'closing' });
      expectProblem(await ledger().ask(`POST ${ENTITIES}`, building(id), key), 503, 'about:blank');
      vault.become({ is: 'honest' });
      receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id, 'another one'), key));
      expect(await ledger().trace(id)).to.have.length(1);
    } finally {
      await vault.close();
    }
  });
});

describe('an Idempotency-Key after a restart', () => {
  let anvil: Anvil;
  let folder: string;
  let running: RunningService | undefined;
  beforeEach(async () => {
    anvil = await startAnvil();
    folder = await mkdtemp(join(tmpdir(), 'mirzam-e2e-'));
  });
  afterEach(async () => {
    await running?.close();
    await anvil.stop();
    await rm(folder, { recursive: true, force: true });
    running = undefined;
  });

  it('still gives the receipt of the first request, and everything else is there as well', async () => {
    const contract = await deployTimestamper(anvil.url);
    const settings = { ...settingsFor(anvil.url, contract), DATA_DIR: folder };
    const entity = building();
    const key = { 'Idempotency-Key': 'night-4711' };
    running = await runService(settings);
    const before = ledgerClient(running.url);
    const { headers, address } = await before.account('alice');
    const receipt = receiptIn(await before.ask(`POST ${ENTITIES}`, entity, { ...key, ...headers }));
    const own = receiptIn(await before.ask(`POST ${UPSERT}`, [entity], key));
    const listed = (await before.ask('GET /entity')).text;
    await running.close();

    running = await runService(settings);
    const after = ledgerClient(running.url);
    expect((await after.ask('GET /entity')).text).to.equal(listed);
    const again = await after.account('alice');
    expect(again.address).to.equal(address);
    const repeated = await after.ask(`POST ${ENTITIES}`, entity, { ...key, ...again.headers });
    expect(receiptIn(repeated)).to.deep.equal(receipt);
    expect(receiptIn(await after.ask(`POST ${UPSERT}`, [entity], key))).to.deep.equal(own);
    const other = await after.ask(`POST ${ENTITIES}`, building(), { ...key, ...again.headers });
    expectProblem(other, 422, 'about:blank', 'Idempotency-Key');
    expect(await after.trace(entity.id)).to.have.length(2);
    const next = receiptIn(await after.ask(`POST ${ENTITIES}`, entity, again.headers));
    const { nonce } = (await anvil.rpc('eth_getTransactionByHash', [next.transactionHash])) as {
      nonce: string;
    };
    expect(nonce).to.equal('0x1');
  });
});
