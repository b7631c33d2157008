import { expect } from 'chai';
import type {
  AcceptedView,
  BatchEntriesView,
  EntitiesView,
  EntityView,
  LedgerView,
  ProofView,
  ReceiptView,
} from '../../../src/ledger/shapes.js';
import { hexOf, keccak } from '../../../src/system/chain-bytes.js';
import { apiClient, request } from '../../e2e/api-client.js';
import {
  anyId,
  building,
  ENTITIES,
  type LedgerService,
  receiptIn,
  sharedLedger,
  UPSERT,
} from '../../e2e/ledger/scene.js';
import { runService } from '../../e2e/running-service.js';
import { until } from '../../ledger/scene.js';
import { acceptedNotification } from '../ledger/accepted-notification.js';

type Headers = Readonly<Record<string, string>>;

const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');

/** Returns the answer of a view, which must be 200. */
async function view<T>(ledger: LedgerService, path: string, headers: Headers = {}): Promise<T> {
  const answer = await ledger.ask(`GET /console/api/ledger${path}`, undefined, headers);
  expect(answer.status, answer.text).to.equal(200);
  return answer.body as unknown as T;
}

async function refused(ledger: LedgerService, path: string, headers: Headers = {}) {
  const { status, body } = await ledger.ask(`GET /console/api/ledger${path}`, undefined, headers);
  return { status, message: body.error?.message ?? '' };
}

describe('the views of the ledger for the console', () => {
  const ledger = sharedLedger();
  const record = async (id = anyId(), name?: string) =>
    receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id, name)));

  it('say which chain it is, and how many entities are recorded', async () => {
    const before = await view<LedgerView>(ledger(), '');
    const { blockNumber } = await record();
    const after = await view<LedgerView>(ledger(), '');
    expect(after).to.include({ contract: ledger().contract, down: null, entities: before.entities + 1 });
    expect(after.head).to.be.at.least(blockNumber);
  });

  it('list entities newest first, page by page, and find them by a part of the id', async () => {
    const mark = `Part-${anyId().slice(-12)}`;
    const ids = Array.from({ length: 7 }, (_, i) => `urn:ngsi-ld:Building:${mark}-${i}`);
    for (const id of ids) await record(id);
    const pages: string[][] = [];
    let before = '';
    for (;;) {
      const page = await view<EntitiesView>(
        ledger(),
        `/entities?query=${mark.toLowerCase()}&limit=3${before}`,
      );
      pages.push(page.entities.map(({ entityId }) => entityId));
      if (page.next === null) break;
      before = `&before=${page.next}`;
    }
    expect(pages.flat()).to.deep.equal(ids.toReversed());
    expect(pages.every((page) => page.length <= 3)).to.equal(true);
    const newest = await view<EntitiesView>(ledger(), '/entities?limit=1');
    expect(newest.entities[0]).to.deep.include({ entityId: ids.at(-1), transactions: 1 });
    expect(newest.entities[0]?.last).to.include({ operation: 'create', ok: true });
  });

  it('list the transactions of an entity newest first', async () => {
    const id = anyId();
    const first = await record(id);
    const second = receiptIn(await ledger().ask(`POST /ngsi-ld/v1/entities/${id}/attrs`, { n: 1 }));
    const batch = receiptIn(await ledger().ask(`POST ${UPSERT}`, [building(), building(id)]));
    const path = `/entities/${encodeURIComponent(id)}`;
    const { entityId, transactions, next } = await view<EntityView>(ledger(), path);
    expect({ entityId, next }).to.deep.equal({ entityId: id, next: null });
    expect(transactions.map((one) => [one.transactionHash, one.operation, one.batch])).to.deep.equal([
      [batch.transactionHash, 'upsert', { index: 1, count: 2 }],
      [second.transactionHash, 'update', null],
      [first.transactionHash, 'create', null],
    ]);
    const page = await view<EntityView>(ledger(), `${path}?limit=1&before=2`);
    expect(page.transactions[0]?.transactionHash).to.equal(second.transactionHash);
    expect(page.next).to.equal(1);
  });

  it('explain each member of a receipt', async () => {
    const receipt = await record();
    const shown = await view<ReceiptView>(ledger(), `/receipts/${receipt.transactionHash}`);
    const { additionalInformation } = receipt;
    expect(shown).to.include({
      transactionHash: receipt.transactionHash,
      state: 'recorded',
      account: receipt.from,
      hash: additionalInformation.hash,
      assetId: additionalInformation.assetId,
    });
    expect(shown.receipt).to.deep.equal(receipt);
    expect(shown.block).to.include({ number: receipt.blockNumber, hash: receipt.blockHash });
    expect(Math.abs(Date.parse(shown.block!.time!) - Date.now())).to.be.lessThan(120_000);
    expect(shown.block!.confirmations).to.be.at.least(1);
    const names = shown.fields.map(({ name }) => name);
    const members = Object.keys(receipt).filter((name) => name !== 'additionalInformation');
    expect(names).to.include.members(members);
    expect(names).to.include.members(
      Object.keys(additionalInformation).map((name) => `additionalInformation.${name}`),
    );
    for (const { name, value, meaning } of shown.fields) {
      expect(value, name).not.to.equal('');
      expect(meaning, name).to.match(/^[A-Z].*\.$/u);
    }
  });

  it('lead from each entry of a batch of 130 to the root on the chain', async () => {
    const entities = Array.from({ length: 130 }, () => building());
    const { transactionHash, logs } = receiptIn(await ledger().ask(`POST ${UPSERT}`, entities));
    const listed: BatchEntriesView['entries'][number][] = [];
    for (let from: number | null = 0; from !== null;) {
      const page: BatchEntriesView = await view(
        ledger(),
        `/receipts/${transactionHash}/entries?from=${from}`,
      );
      expect(page.count).to.equal(130);
      listed.push(...page.entries);
      from = page.next;
    }
    expect(listed.map(({ entityId }) => entityId)).to.deep.equal(entities.map(({ id }) => id));
    expect(listed.map(({ index }) => index)).to.deep.equal(entities.map((_, i) => i));
    for (const index of [0, 49, 50, 129]) {
      const proof = await view<ProofView>(ledger(), `/receipts/${transactionHash}/entries/${index}/proof`);
      expect(proof).to.include({ index, entityId: entities[index]!.id, hash: listed[index]!.hash });
      let node = hexOf(keccak(keccak(bytes(proof.hash))));
      expect(proof.leaf).to.equal(node);
      for (const { left, right, sibling, node: parent } of proof.steps) {
        expect([left, right]).to.have.members([node, sibling]);
        expect(left < right).to.equal(true);
        node = hexOf(keccak(Buffer.concat([bytes(left), bytes(right)])));
        expect(parent).to.equal(node);
      }
      // The contract's event has the root twice: as asset and as hash.
      expect([proof.root, proof.recordedRoot]).to.deep.equal([node, node]);
      expect(logs[0]!.topics.slice(1)).to.deep.equal([node, node]);
    }
    expect(await refused(ledger(), `/receipts/${transactionHash}/entries/130/proof`)).to.include({
      status: 404,
    });
  });

  it('refuse what they do not know, and name it', async () => {
    const { transactionHash } = await record();
    const cases = [
      ['/entities?colour=red', 400, 'colour'],
      ['/entities?limit=0', 400, 'limit'],
      ['/entities?before=-1', 400, 'before'],
      ['/receipts/0x12', 400, 'hash'],
      [`/receipts/${transactionHash}/entries/one/proof`, 400, 'index'],
      [`/receipts/${transactionHash}/entries`, 404, 'transaction'],
      [`/receipts/0x${'0'.repeat(64)}`, 404, 'transaction'],
      ['/entities/urn:x:none', 404, 'entity'],
      ['/operations?before=7', 400, 'before'],
      ['/operations?query=7', 400, 'query'],
    ] as const;
    for (const [path, status, word] of cases) {
      const answer = await refused(ledger(), path);
      expect(answer, path).to.include({ status });
      expect(answer.message, path).to.contain(word);
    }
  });
});

describe('the views of the ledger with LEDGER_AUTH=token', () => {
  const ledger = sharedLedger({
    LEDGER_AUTH: 'token',
    OPERATOR_TOKEN: 'an-operator-token-of-32-characters',
    IDENTITY_USERS: 'acme:ann:secret-1,umbrella:bob:secret-2',
  });
  const tokenOf = async (tenant: string, user: string, password: string): Promise<Headers> => ({
    'X-Auth-Token': (await apiClient(ledger().url, tenant, user, password)).token,
  });

  it('show a tenant its own transactions alone, and an operator all', async () => {
    const [ann, bob] = [
      await tokenOf('acme', 'ann', 'secret-1'),
      await tokenOf('umbrella', 'bob', 'secret-2'),
    ];
    const operator = { Authorization: 'Bearer an-operator-token-of-32-characters' };
    const [id, bobs] = [anyId(), anyId()];
    const path = `/entities/${encodeURIComponent(id)}`;
    const mine = receiptIn(await ledger().ask(`POST ${UPSERT}`, [building(id), building()], ann));
    receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(bobs), bob));
    expect(await refused(ledger(), path, bob)).to.include({ status: 404 });
    for (const one of ['', '/entries', '/entries/0/proof'])
      expect(await refused(ledger(), `/receipts/${mine.transactionHash}${one}`, bob)).to.include({
        status: 404,
      });
    const same = `/receipts/${mine.transactionHash}/entries?entity=${encodeURIComponent(id)}`;
    expect(await view<BatchEntriesView>(ledger(), same, bob)).to.deep.include({ entries: [], count: 0 });
    expect((await view<BatchEntriesView>(ledger(), same, ann)).entries).to.have.lengthOf(1);
    const theirs = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id), bob));

    const seen = async (headers: Headers) => {
      const { transactions } = await view<EntityView>(ledger(), path, headers);
      return transactions.map(({ transactionHash }) => transactionHash);
    };
    expect(await seen(ann)).to.deep.equal([mine.transactionHash]);
    expect(await seen(bob)).to.deep.equal([theirs.transactionHash]);
    expect(await seen(operator)).to.deep.equal([theirs.transactionHash, mine.transactionHash]);
    // What several tenants have recorded is not counted for one of them.
    const { entities } = await view<EntitiesView>(ledger(), '/entities', ann);
    expect(entities.map(({ entityId }) => entityId))
      .to.include(id)
      .and.not.to.include(bobs);
    expect(entities.every(({ transactions, last }) => transactions === null && last === null)).to.equal(true);
    expect(await refused(ledger(), '/entities')).to.include({ status: 401 });
  });
});

describe('the view of accepted notifications', () => {
  const operator = { Authorization: 'Bearer an-operator-token-of-32-characters' };
  const ledger = sharedLedger({
    LEDGER_AUTH: 'token',
    OPERATOR_TOKEN: 'an-operator-token-of-32-characters',
    IDENTITY_USERS: 'acme:ann:secret-1,umbrella:bob:secret-2',
  });

  it('lists what is not recorded, newest first, page by page, to each tenant its own', async () => {
    const client = await apiClient(ledger().url, 'acme', 'ann', 'secret-1');
    const ann = { 'X-Auth-Token': client.token };
    const bob = { 'X-Auth-Token': (await apiClient(ledger().url, 'umbrella', 'bob', 'secret-2')).token };
    await ledger().anvil.rpc('evm_setAutomine', [false]);
    const ids: string[] = [];
    for (const [n, headers] of [
      [1, ann],
      [2, bob],
      [3, ann],
    ] as const)
      ids.push(await acceptedNotification(ledger(), n, headers));
    const list = (query: string, headers: Headers) =>
      view<AcceptedView>(ledger(), `/operations${query}`, headers);
    const all = await list('', operator);
    expect(all).to.include({ pending: 3, failed: 0, next: null });
    expect(all.operations.map(({ entities }) => entities)).to.have.members([1, 2, 3]);
    expect(all.operations.map(({ operation }) => operation)).to.have.members(ids);
    const times = all.operations.map(({ since }) => since);
    expect(times).to.deep.equal(times.toSorted().toReversed());
    expect(all.operations[0]).to.deep.include({
      state: 'pending',
      subscriptionId: 'urn:ngsi-ld:Subscription:buildings',
      tries: 0,
      detail: null,
    });
    const paged: string[] = [];
    for (let before = ''; ;) {
      const { operations, next } = await list(`?limit=1${before}`, ann);
      expect(operations).to.have.length.at.most(1);
      paged.push(...operations.map(({ operation }) => operation));
      if (next === null) break;
      before = `&before=${next}`;
    }
    expect(new Set(paged)).to.deep.equal(new Set([ids[0], ids[2]]));
    expect(paged).to.have.length(2);
    expect((await list('', bob)).operations.map(({ operation }) => operation)).to.deep.equal([ids[1]]);
    await ledger().anvil.rpc('evm_setAutomine', [true]);
    await ledger().anvil.rpc('evm_mine');
    await until(async () => expect(await list('', operator)).to.include({ pending: 0 }));
    expect((await list('', operator)).operations).to.deep.equal([]);
  });
});

describe('the views of the ledger with LEDGER=off', () => {
  it('answer 404 that says so', async () => {
    const service = await runService();
    try {
      const { status, body } = await request(`${service.url}/console/api/ledger/entities`, 'GET');
      expect(status).to.equal(404);
      expect(body.error?.message).to.contain('LEDGER=off');
    } finally {
      await service.close();
    }
  });
});
