import { expect } from 'chai';
import { type Broker, BrokerRefused, BrokerUnavailable } from '../../src/broker/port.js';
import { openBroker } from '../../src/broker/select.js';
import { DAY_MS, NEW_YEAR, WANTED, brokerBehaviour } from './broker.features.js';
import { brokerFailures } from './failures.features.js';
import { rejectionOf } from '../rejection.js';
import { ngsiLdStandIn } from './stand-ins/ngsi-ld.js';
import type { BrokerStandIn, Failure } from './stand-ins/stand-in.js';

describe('ngsi-ld', () => {
  const api = 'ngsi-ld';
  brokerBehaviour({ api, start: ngsiLdStandIn, sendsHeaders: true, marks: true });
  brokerFailures({ api, start: ngsiLdStandIn, sendsHeaders: true, marks: true });

  let there: BrokerStandIn;
  let broker: Broker;

  beforeEach(async () => {
    there = await ngsiLdStandIn(() => NEW_YEAR);
    broker = openBroker({ url: there.url, api, now: () => NEW_YEAR });
  });

  afterEach(async () => {
    await broker.close();
    await there.close();
  });

  const lines = () => there.requests.map(({ method, path }) => `${method} ${path}`);

  it('sends the requests of the NGSI-LD specification', async () => {
    const { id } = await broker.subscribe(WANTED);
    await broker.renew(id, { ...WANTED, headers: {} });
    await broker.unsubscribe(id, WANTED.tenant);
    expect(id).to.match(/^[0-9a-f]{24}$/);
    const uri = `urn:ngsi-ld:Subscription:${id}`;
    const at = `/ngsi-ld/v1/subscriptions/${uri}`;
    expect(lines()).to.deep.equal(['POST /ngsi-ld/v1/subscriptions', `PATCH ${at}`, `DELETE ${at}`]);
    const bodies = there.requests.slice(0, 2).map(({ body }) => JSON.parse(body) as unknown);
    const endpoint = { uri: WANTED.callback, accept: 'application/json' };
    const receiverInfo = [{ key: 'X-Facts-Key', value: 'aKey-of-brokers' }];
    const wanted = {
      type: 'Subscription',
      entities: [{ id: 'urn:ngsi-ld:host:srv-1_a', type: 'host' }],
      watchedAttributes: WANTED.attributes,
      expiresAt: '2026-01-02T00:00:00.000Z',
    };
    const notification = { attributes: WANTED.attributes, format: 'normalized', sysAttrs: true };
    expect(bodies).to.deep.equal([
      { id: uri, ...wanted, notification: { ...notification, endpoint: { ...endpoint, receiverInfo } } },
      { ...wanted, notification: { ...notification, endpoint } },
    ]);
  });

  it('keeps an entity id that is a URI', async () => {
    await broker.subscribe({ ...WANTED, entityId: 'urn:example:server:7' });
    expect(there.subscriptions()[0]!.entityId).to.equal('urn:example:server:7');
  });

  it('sends the current callback with a renewal', async () => {
    const { id } = await broker.subscribe(WANTED);
    const callback = 'http://moved.example/v1.0/t1/servers/srv-1_a';
    await broker.renew(id, { ...WANTED, callback, headers: { 'X-Facts-Key': 'new' } });
    expect(there.subscriptions()[0]).to.deep.include({ callback, headers: { 'X-Facts-Key': 'new' } });
  });

  it('accepts an answer without a Location', async () => {
    there.failWith({ how: 'answer', done: true, status: 201 }, 1);
    const { id, expiresAt } = await broker.subscribe(WANTED);
    expect(expiresAt).to.equal(NEW_YEAR + DAY_MS);
    expect(there.subscriptions()[0]!.id).to.equal(`urn:ngsi-ld:Subscription:${id}`);
  });

  it('refuses an id that is taken, and leaves the subscription that has it', async () => {
    const mark = 'abcdef0123456789abcdef01';
    const { id } = await broker.subscribe(WANTED, mark);
    const error = await rejectionOf(broker.subscribe(WANTED, mark));
    expect(error).to.be.instanceOf(BrokerRefused);
    expect(error.message).to.contain('answered 409');
    expect(there.subscriptions().map((one) => one.id)).to.deep.equal([`urn:ngsi-ld:Subscription:${id}`]);
  });

  it('refuses an id that the broker chose, and removes its subscription', async () => {
    const location = '/ngsi-ld/v1/subscriptions/urn:broker:own-id';
    there.failWith({ how: 'answer', status: 201, headers: { location } }, 1);
    const error = await rejectionOf(broker.subscribe(WANTED));
    expect(error).to.be.instanceOf(BrokerUnavailable);
    expect(error.message).to.contain('another id');
    expect(lines()).to.contain('DELETE /ngsi-ld/v1/subscriptions/urn:broker:own-id');
  });

  const UNCERTAIN: Readonly<Record<string, Failure>> = {
    'is not answered': { how: 'silent', done: true },
    'ends in a broken connection': { how: 'broken', done: true },
    'is answered half': { how: 'half', done: true },
    'is answered with 503': { how: 'answer', done: true, status: 503 },
    'is answered with 200': { how: 'answer', done: true, status: 200 },
  };
  for (const [what, failure] of Object.entries(UNCERTAIN)) {
    it(`leaves no subscription if a creation ${what}`, async () => {
      const hasty = openBroker({ url: there.url, api, timeoutMs: 2_000, now: () => NEW_YEAR });
      const kept = await broker.subscribe(WANTED);
      there.failWith(failure, 1);
      expect(await rejectionOf(hasty.subscribe(WANTED))).to.be.instanceOf(BrokerUnavailable);
      await hasty.close();
      expect(there.subscriptions().map(({ id }) => id)).to.deep.equal([
        `urn:ngsi-ld:Subscription:${kept.id}`,
      ]);
    });
  }

  it('reports the first failure if the removal fails too', async () => {
    there.failWith({ how: 'answer', done: true, status: 500, body: '{"title":"first"}' }, 1);
    const failing = rejectionOf(broker.subscribe(WANTED));
    await there.received(1);
    there.failWith({ how: 'answer', status: 403, body: '{"title":"second"}' });
    expect((await failing).message)
      .to.contain('first')
      .and.not.to.contain('second');
  });
});
