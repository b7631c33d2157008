import { expect } from 'chai';
import { type Broker, BrokerRefused, BrokerUnavailable } from '../../src/broker/port.js';
import { openBroker } from '../../src/broker/select.js';
import { DAY_MS, NEW_YEAR, WANTED, brokerBehaviour } from './broker.features.js';
import { brokerFailures } from './failures.features.js';
import { type Receiver, receiver } from './receiver.js';
import { rejectionOf } from '../rejection.js';
import { ngsiv2StandIn } from './stand-ins/ngsiv2.js';
import type { BrokerStandIn, Failure } from './stand-ins/stand-in.js';

describe('ngsiv2', () => {
  const api = 'ngsiv2';
  brokerBehaviour({ api, start: ngsiv2StandIn, sendsHeaders: true, marks: true });
  brokerFailures({ api, start: ngsiv2StandIn, sendsHeaders: true, marks: true });

  let there: BrokerStandIn;
  let broker: Broker;

  beforeEach(async () => {
    there = await ngsiv2StandIn(() => NEW_YEAR);
    broker = openBroker({ url: there.url, api, now: () => NEW_YEAR });
  });

  afterEach(async () => {
    await broker.close();
    await there.close();
  });

  const lines = () => there.requests.map(({ method, path }) => `${method} ${path}`);

  it('sends the requests of the NGSIv2 specification', async () => {
    const { id } = await broker.subscribe(WANTED);
    await broker.renew(id, { ...WANTED, headers: {} });
    await broker.unsubscribe(id, WANTED.tenant);
    const at = `/v2/subscriptions/${id}`;
    expect(lines()).to.deep.equal(['POST /v2/subscriptions', `PATCH ${at}`, `DELETE ${at}`]);
    const subject = {
      entities: [{ id: 'srv-1_a', type: 'host' }],
      condition: { attrs: WANTED.attributes, alterationTypes: ['entityCreate', 'entityUpdate'] },
    };
    const notified = { attrs: WANTED.attributes, onlyChangedAttrs: true, attrsFormat: 'normalized' };
    const [created, patched] = there.requests.slice(0, 2).map(({ body }) => JSON.parse(body) as object);
    expect(created)
      .to.have.property('description')
      .that.matches(/^Mirzam policy rules [0-9a-f]{24}$/);
    expect({ ...created, description: '' }).to.deep.equal({
      description: '',
      subject,
      notification: { httpCustom: { url: WANTED.callback, headers: WANTED.headers }, ...notified },
      expires: '2026-01-02T00:00:00.000Z',
    });
    expect(patched).to.deep.equal({
      subject,
      notification: { http: { url: WANTED.callback }, ...notified },
      expires: '2026-01-02T00:00:00.000Z',
    });
  });

  it('sends the current callback with a renewal', async () => {
    const { id } = await broker.subscribe(WANTED);
    const callback = 'http://moved.example/v1.0/t1/servers/srv-1_a';
    await broker.renew(id, { ...WANTED, callback, headers: { 'X-Facts-Key': 'new' } });
    expect(there.subscriptions()[0]).to.deep.include({ callback, headers: { 'X-Facts-Key': 'new' } });
  });

  for (const location of [
    'http://orion:1026/v2/subscriptions/abc',
    '/prefix/v2/subscriptions/abc?x=1',
    'abc',
  ]) {
    it(`reads the id from the Location ${location}`, async () => {
      there.failWith({ how: 'answer', status: 201, headers: { location } }, 1);
      expect(await broker.subscribe(WANTED)).to.deep.equal({ id: 'abc', expiresAt: NEW_YEAR + DAY_MS });
    });
  }

  const UNCERTAIN: Readonly<Record<string, Failure>> = {
    'is not answered': { how: 'silent', done: true },
    'ends in a broken connection': { how: 'broken', done: true },
    'is answered half': { how: 'half', done: true },
    'is answered with 500': { how: 'answer', done: true, status: 500 },
    'is answered without a Location': { how: 'answer', done: true, status: 201 },
    'is answered with 200': {
      how: 'answer',
      done: true,
      status: 200,
      headers: { location: '/v2/subscriptions/abc' },
    },
    'is answered with an id that fits in no path': {
      how: 'answer',
      done: true,
      status: 201,
      headers: { location: '/v2/subscriptions/a%20b' },
    },
    'is answered with an undecodable id': {
      how: 'answer',
      done: true,
      status: 201,
      headers: { location: '/v2/subscriptions/%ff' },
    },
  };
  for (const [what, failure] of Object.entries(UNCERTAIN)) {
    it(`leaves no subscription if a creation ${what}`, async () => {
      const hasty = openBroker({ url: there.url, api, timeoutMs: 2_000 });
      const kept = await broker.subscribe(WANTED);
      there.failWith(failure, 1);
      expect(await rejectionOf(hasty.subscribe(WANTED))).to.be.instanceOf(BrokerUnavailable);
      await hasty.close();
      expect(there.subscriptions().map(({ id }) => id)).to.deep.equal([kept.id]);
      expect(lines()).to.contain('GET /v2/subscriptions?limit=1&options=count');
    });
  }

  it('finds an unanswered creation at the end of a long list', async () => {
    for (let i = 0; i < 250; i += 1) await broker.subscribe(WANTED);
    there.failWith({ how: 'broken', done: true }, 1);
    await rejectionOf(broker.subscribe(WANTED));
    expect(there.subscriptions()).to.have.length(250);
    expect(lines().at(-2)).to.equal('GET /v2/subscriptions?limit=200&offset=151');
  });

  it('removes no other subscription in its search', async () => {
    await broker.subscribe(WANTED);
    there.failWith({ how: 'broken' }, 1);
    await rejectionOf(broker.subscribe(WANTED));
    expect(there.subscriptions()).to.have.length(1);
    expect(lines().filter((line) => line.startsWith('DELETE'))).to.deep.equal([]);
  });

  it('reports the first failure if the search fails too', async () => {
    there.failWith({ how: 'answer', done: true, status: 500, body: '{"error":"first"}' }, 1);
    const failing = rejectionOf(broker.subscribe(WANTED));
    await there.received(1);
    there.failWith({ how: 'answer', status: 200, body: 'not a list' });
    expect((await failing).message)
      .to.contain('500')
      .and.to.contain('first');
  });

  it('limits the search to the time of one request', async () => {
    const hasty = openBroker({ url: there.url, api, timeoutMs: 5_000 });
    there.failWith({ how: 'answer', done: true, status: 500 }, 1);
    const failing = rejectionOf(hasty.subscribe(WANTED));
    await there.received(1);
    const { id, description } = there.subscriptions()[0]!;
    const body = JSON.stringify([{ id, description }]);
    there.failWith({ how: 'answer', status: 200, body, afterMs: 3_000 }, 2);
    await failing;
    await hasty.close();
    expect(lines().map((line) => line.split(' ')[0])).to.deep.equal(['POST', 'GET', 'GET']);
  });

  it('does not search after a refusal', async () => {
    there.failWith({ how: 'answer', status: 400, body: '{"error":"BadRequest"}' });
    expect(await rejectionOf(broker.subscribe(WANTED))).to.be.instanceOf(BrokerRefused);
    expect(lines()).to.deep.equal(['POST /v2/subscriptions']);
  });

  it('advises on the settings if the path is unknown', async () => {
    there.failWith({ how: 'answer', status: 404, body: '{"error":"NotFound"}' });
    const error = await rejectionOf(broker.subscribe(WANTED));
    expect(error).to.be.instanceOf(BrokerRefused);
    expect(error.message).to.contain('check BROKER_URL and BROKER_API: NotFound');
  });

  describe('a character that Orion refuses', () => {
    let callback: Receiver;
    beforeEach(async () => {
      callback = await receiver();
    });
    afterEach(() => callback.close());

    it('arrives in the value of a header, as do percent signs and what Orion would replace', async () => {
      const value = 'top<>"\'=;()100%41%${id}';
      const wanted = { ...WANTED, callback: callback.url, headers: { 'X-Facts-Key': value } };
      const { id } = await broker.subscribe(wanted);
      await broker.renew(id, wanted);
      await there.notify(id, { cpuLoadPct: 1 });
      expect(callback.requests.map(({ headers }) => headers['x-facts-key'])).to.deep.equal([value]);
    });

    for (const [where, wanted, named] of [
      ['the callback', { callback: 'http://a.example/x(y)' }, /address for notifications.*PUBLIC_URL/],
      ['the entity', { entityId: 'a;b' }, /name a;b/],
      ['the type', { entityType: "o'host" }, /name o'host/],
      ['an attribute', { attributes: ['cpu', 'a=b'] }, /name a=b/],
      ['the name of a header', { headers: { 'X(Y)': 'a' } }, /header X\(Y\)/],
    ] as const) {
      it(`is refused in ${where}`, async () => {
        const error = await rejectionOf(broker.subscribe({ ...WANTED, ...wanted }));
        expect(error).to.be.instanceOf(BrokerRefused);
        expect(error.message).to.match(named);
        expect(there.requests).to.have.length(0);
      });
    }
  });
});
