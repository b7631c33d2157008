import { expect } from 'chai';
import type { Actors } from '../../../src/actors/kind.js';
import { messageId } from '../../../src/delivery/message-id.js';
import { dispatchMirror, mirrorMessage, type Mirrored } from '../../../src/delivery/senders/mirror.js';
import type { Answer } from '../../../src/delivery/port.js';
import { openSenders } from '../../../src/delivery/senders/open-senders.js';
import { targetRules } from '../../../src/delivery/senders/targets.js';
import { freeDeliveries } from '../queue/free-permits.js';
import { startMirrorBroker, type HeldEntity, type MirrorBroker } from './mirror-broker.js';
import { specSeal } from '../spec-seal.js';

const HASH = `0x${'ab'.repeat(32)}` as const;
const ID = `urn:ngsi-ld:dlttxreceipt:${HASH}`;
const ENTITY = 'urn:ngsi-ld:Building:farm001';
const RECEIPT = {
  transactionHash: HASH,
  blockNumber: 7,
  statusOK: true,
  logs: [{ logIndex: 0, type: 'mined' }],
  additionalInformation: { operation: 'create', hash: `0x${'01'.repeat(32)}` },
};

const NOON = Date.UTC(2026, 0, 15, 12);

const mirrored = (url: string, more: Partial<Mirrored> = {}): Mirrored => ({
  url,
  receipt: RECEIPT,
  signedAt: NOON,
  entities: [ENTITY],
  tenant: undefined,
  ...more,
});

describe('mirror', () => {
  let broker: MirrorBroker;
  let senders: ReturnType<typeof openSenders>;
  beforeEach(async () => {
    broker = await startMirrorBroker();
    senders = openSenders({
      // Private addresses are refused for webhooks, and allowed for the mirror.
      targets: targetRules({ production: true, allowed: [] }),
      webhookSecrets: () => [],
      seal: specSeal,
      smtpUrl: undefined,
      mailFrom: 'mirzam@localhost',
      messageIdDomain: 'localhost',
      userAgent: 'spec',
      now: Date.now,
    });
  });
  afterEach(async () => {
    await senders.close();
    await broker.stop();
  });
  const send = (more: Partial<Mirrored> = {}): Promise<Answer> =>
    senders.mirror.send('msg_1_mirror', mirrorMessage(mirrored(broker.origin, more)), 'acme');
  const only = (): HeldEntity => {
    expect(broker.held.size).to.equal(1);
    return [...broker.held.values()][0]!;
  };

  it('creates the entity of a receipt, with the members of CanisMajor', async () => {
    expect((await send()).result).to.equal('delivered');
    const { '@context': context, ...entity } = only() as HeldEntity & { '@context': string };
    expect(entity).to.deep.equal({
      id: ID,
      type: 'DLTtxReceipt',
      refEntity: { type: 'Relationship', object: ENTITY },
      TxReceipts: { type: 'Property', value: RECEIPT },
    });
    expect(context).to.match(/dataModel\.DistributedLedgerTech.*context\.jsonld$/);
  });

  it('lists each entity of a batch once, without proofs', async () => {
    const proofs = [{ entityId: ENTITY, hash: HASH, proof: [HASH] }];
    const receipt = { ...RECEIPT, additionalInformation: { operation: 'upsert', entities: proofs } };
    expect((await send({ receipt, entities: [ENTITY, 'urn:b', ENTITY] })).result).to.equal('delivered');
    const { refEntity, TxReceipts } = only();
    expect(refEntity).to.deep.equal({ type: 'Property', value: [ENTITY, 'urn:b'] });
    expect(TxReceipts.value['additionalInformation']).to.deep.equal({ operation: 'upsert' });
  });

  it('names the query that a transaction records', async () => {
    const query = { type: 'Building', limit: 2 };
    const receipt = { ...RECEIPT, additionalInformation: { operation: 'query', query } };
    expect((await send({ receipt })).result).to.equal('delivered');
    expect(only().retrievalQuery).to.deep.equal({ type: 'Property', value: query });
  });

  it('goes to the tenant of the transaction, if it has one', async () => {
    await send({ tenant: 'acme' });
    await send();
    expect([...broker.held.keys()]).to.deep.equal([`acme ${ID}`, ` ${ID}`]);
    expect(broker.got[1]!.headers).not.to.have.property('ngsild-tenant');
  });

  it('finds the broker at any address, with or without a slash at its end', () => {
    for (const url of ['http://b.example/x', 'http://b.example/x/'])
      expect(mirrorMessage(mirrored(url)).url).to.equal('http://b.example/x/ngsi-ld/v1/entities');
  });

  it('is delivered if the broker has the entity already', async () => {
    broker.fail('lost');
    expect(await send()).to.have.property('result', 'retry');
    const answer = await send();
    expect(answer.result).to.equal('delivered');
    expect(answer.detail).to.match(/^409 in \d+ ms: it was there already$/);
    only();
  });

  for (const [status, type, result] of [
    [409, 'Conflict', 'refused'],
    [400, 'BadRequestData', 'refused'],
    [404, 'NonexistentTenant', 'refused'],
    [503, 'LdContextNotAvailable', 'retry'],
    [500, 'InternalError', 'retry'],
    [429, 'TooManyRequests', 'retry'],
  ] as const) {
    it(`is ${result} when the broker answers ${status} ${type}`, async () => {
      broker.fail({ status, type });
      const answer = await send();
      expect(answer.result).to.equal(result);
      expect(answer.detail).to.include(String(status)).and.to.include(type);
      expect(broker.held.size).to.equal(0);
    });
  }

  it('gets another attempt while the broker is down', async () => {
    expect((await send({ url: 'http://127.0.0.1:1' })).result).to.equal('retry');
  });

  it('is dispatched under the id of its transaction, with its tenant', async () => {
    const told: unknown[] = [];
    const actors = { ask: async (...args: unknown[]) => void told.push(args) } as unknown as Actors;
    const deliveries = freeDeliveries(() => actors);
    await dispatchMirror(deliveries, mirrored('http://b.example', { tenant: 'acme' }), 5);
    await dispatchMirror(deliveries, mirrored('http://b.example'), 5);
    expect(told).to.deep.equal(
      (['acme', undefined] as const).map((tenant) => [
        { kind: 'delivery', tenant: tenant ?? 'default', name: `${messageId(NOON, HASH)}_mirror` },
        {
          type: 'dispatch',
          now: 5,
          message: mirrorMessage(mirrored('http://b.example', { tenant })),
          about: { tenant: tenant ?? 'default', transactionHash: HASH },
        },
      ]),
    );
  });
});
