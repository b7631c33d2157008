import { expect } from 'chai';
import { type Broker, BrokerRefused, type BrokerSubscription } from '../../src/broker/port.js';
import { type BrokerOptions, openBroker } from '../../src/broker/select.js';
import { publicSubscriptionId } from '../../src/broker/subscription-id.js';
import { type Receiver, receiver } from './receiver.js';
import { rejectionOf } from '../rejection.js';
import type { BrokerStandIn } from './stand-ins/stand-in.js';

/** Differences between the APIs. */
export interface BrokerCase {
  readonly api: BrokerOptions['api'];
  readonly start: (now: () => number) => Promise<BrokerStandIn>;
  /** True if the API supports headers of notifications. */
  readonly sendsHeaders: boolean;
  /** Duration of a subscription before its first renewal, ms. Default: a day. */
  readonly firstMs?: number;
  /** True if the API can find a subscription by its mark. */
  readonly marks: boolean;
}

/** 2026-01-01T00:00:00Z. */
export const NEW_YEAR = 1_767_225_600_000;

export const DAY_MS = 86_400_000;

/** A subscription to the measurements of a server. */
export const WANTED: BrokerSubscription = {
  entityId: 'srv-1_a',
  entityType: 'host',
  attributes: ['cpuLoadPct', 'usedMemPct', 'netLoadPct', 'freeSpacePct'],
  tenant: 'acme_1',
  callback: 'http://policies.example:8080/v1.0/t1/servers/srv-1_a',
  headers: { 'X-Facts-Key': 'aKey-of-brokers' },
};

/** Behaviour of a reachable broker of any API. */
export function brokerBehaviour({ api, start, sendsHeaders, firstMs = DAY_MS, marks }: BrokerCase): void {
  describe('a broker', () => {
    let clock: number;
    let there: BrokerStandIn;
    let broker: Broker;
    let callback: Receiver;

    beforeEach(async () => {
      clock = NEW_YEAR;
      callback = await receiver();
      there = await start(() => clock);
      broker = openBroker({ url: there.url, api, now: () => clock });
    });

    afterEach(async () => {
      await broker.close();
      await there.close();
      await callback.close();
    });

    it(`sends the server’s measurements to the callback, for ${firstMs / 60_000} minutes`, async () => {
      const granted = await broker.subscribe(WANTED);
      const held = there.subscriptions();
      expect(held).to.have.length(1);
      expect(held[0]).to.deep.include({
        entityType: 'host',
        attributes: WANTED.attributes,
        watched: WANTED.attributes,
        callback: WANTED.callback,
        headers: sendsHeaders ? WANTED.headers : {},
        expiresAt: NEW_YEAR + firstMs,
      });
      expect(held[0]!.entityId).to.match(/(^|:)srv-1_a$/);
      expect(granted.expiresAt).to.equal(NEW_YEAR + firstMs);
    });

    if (marks) {
      it('ends the subscription with a mark among many newer ones, and no other', async () => {
        const mark = 'abcdef0123456789abcdef01';
        const kept = [await broker.subscribe(WANTED), await broker.subscribe(WANTED)];
        const { id } = await broker.subscribe(WANTED, mark);
        for (let i = 0; i < 450; i += 1) kept.push(await broker.subscribe(WANTED));
        expect(await broker.retract('000000000000000000000000', WANTED)).to.deep.equal([]);
        expect(await broker.retract(mark, WANTED)).to.deep.equal([id]);
        expect(await broker.retract(mark, WANTED)).to.deep.equal([]);
        const held = there.subscriptions().map((one) => publicSubscriptionId(one.id));
        expect(held).to.have.members(kept.map((one) => one.id));
      });

      it('is unsettled if the creation is not answered and no subscription is found', async () => {
        const impatient = openBroker({ url: there.url, api, timeoutMs: 2_000 });
        there.failWith({ how: 'silent' }, 1);
        expect(await rejectionOf(impatient.subscribe(WANTED))).to.include({ unsettled: true });
        there.failWith({ how: 'silent', done: true }, 1);
        expect(await rejectionOf(impatient.subscribe(WANTED))).to.include({ unsettled: false });
        expect(there.subscriptions()).to.deep.equal([]);
        await impatient.close();
        const gone = await start(() => clock);
        await gone.close();
        const nobody = openBroker({ url: gone.url, api });
        expect(await rejectionOf(nobody.subscribe(WANTED))).to.include({ unsent: true, unsettled: false });
      });
    }

    it('gets no headers in the request if there are none', async () => {
      await broker.subscribe({ ...WANTED, headers: {} });
      expect(there.subscriptions()[0]!.headers).to.deep.equal({});
    });

    it('grants each subscription a unique id that fits into a path', async () => {
      const granted = await Promise.all([1, 2, 3].map(() => broker.subscribe(WANTED)));
      const ids = granted.map(({ id }) => id);
      for (const id of ids) expect(id).to.match(/^[A-Za-z0-9_-]{1,256}$/);
      expect(new Set(ids).size).to.equal(3);
      expect(there.subscriptions().map(({ id }) => publicSubscriptionId(id))).to.have.members(ids);
    });

    it('sends notifications with the granted id', async () => {
      const { id } = await broker.subscribe({ ...WANTED, callback: `${callback.url}/t1/servers/s` });
      const notified = await there.notify(id, { cpuLoadPct: '42.5' });
      expect(notified.status).to.equal(200);
      expect(callback.requests).to.have.length(1);
      const { path, headers, body } = callback.requests[0]!;
      expect(path).to.equal('/t1/servers/s');
      expect(headers['x-facts-key']).to.equal(sendsHeaders ? 'aKey-of-brokers' : undefined);
      const { subscriptionId } = JSON.parse(body) as { subscriptionId: string };
      expect(publicSubscriptionId(subscriptionId)).to.equal(id);
      expect(body).to.contain('cpuLoadPct').and.contain('42.5');
    });

    it('extends a subscription from the time of the renewal, under the same id', async () => {
      const { id } = await broker.subscribe(WANTED);
      clock += DAY_MS / 2;
      const renewed = await broker.renew(id, WANTED);
      expect(renewed).to.deep.equal({ id, expiresAt: clock + DAY_MS });
      expect(there.subscriptions().map(({ expiresAt }) => expiresAt)).to.deep.equal([clock + DAY_MS]);
    });

    it('revives an expired subscription', async () => {
      const wanted = { ...WANTED, callback: callback.url };
      const { id } = await broker.subscribe(wanted);
      clock += DAY_MS;
      expect((await rejectionOf(there.notify(id, { cpuLoadPct: '1' }))).message).to.match(/has expired/);
      await broker.renew(id, wanted);
      await there.notify(id, { cpuLoadPct: '1' });
      expect(callback.requests).to.have.length(1);
    });

    it('returns undefined for an unknown subscription to extend', async () => {
      expect(await broker.renew('0123456789abcdef01234567', WANTED)).to.equal(undefined);
      expect(there.subscriptions()).to.have.length(0);
    });

    it('ends one subscription and no other', async () => {
      const { id } = await broker.subscribe(WANTED);
      const other = await broker.subscribe(WANTED);
      await broker.unsubscribe(id, WANTED.tenant);
      const left = there.subscriptions().map((one) => publicSubscriptionId(one.id));
      expect(left).to.deep.equal([other.id]);
    });

    it('counts an unknown subscription as ended', async () => {
      const { id } = await broker.subscribe(WANTED);
      await broker.unsubscribe(id, WANTED.tenant);
      await broker.unsubscribe(id, WANTED.tenant);
      expect(there.requests).to.have.length(3);
    });

    it('reports the broker’s explanation of a refusal', async () => {
      const error = await rejectionOf(broker.subscribe({ ...WANTED, attributes: [] }));
      expect(error).to.be.instanceOf(BrokerRefused);
      expect(error.message).to.match(/answered .*400.*at least 1 items/);
      expect(there.subscriptions()).to.have.length(0);
    });

    it('grants the requested duration', async () => {
      const short = openBroker({ url: there.url, api, durationS: 90, now: () => clock });
      expect((await short.subscribe(WANTED)).expiresAt).to.equal(NEW_YEAR + 90_000);
      expect(there.subscriptions()[0]!.expiresAt).to.equal(NEW_YEAR + 90_000);
      await short.close();
    });

    it('gets every request in the name of the tenant, with the service path or the context', async () => {
      const context = 'https://contexts.example/hosts.jsonld';
      const scoped = openBroker({ url: there.url, api, servicePath: '/city/north', context });
      const { id } = await scoped.subscribe(WANTED);
      await scoped.renew(id, WANTED);
      await scoped.retract('000000000000000000000000', WANTED);
      await scoped.unsubscribe(id, 'other');
      await scoped.unsubscribe(id, WANTED.tenant);
      await scoped.subscribe({ ...WANTED, tenant: undefined });
      await scoped.close();
      const [name, header, value] =
        api === 'ngsi-ld'
          ? [
              'ngsild-tenant',
              'link',
              `<${context}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"`,
            ]
          : ['fiware-service', 'fiware-servicepath', '/city/north'];
      const tenants = there.requests.map(({ headers }) => headers[name]);
      const known = tenants.length - 3;
      expect(tenants).to.deep.equal([...Array(known).fill('acme_1'), 'other', 'acme_1', undefined]);
      for (const { headers } of there.requests) expect(headers[header]).to.equal(value);
      expect(there.subscriptions().map(({ tenant }) => tenant)).to.deep.equal(['']);
    });

    it('accepts an address with a path and a trailing slash', async () => {
      const below = openBroker({ url: `${there.url}/orion/`, api });
      await rejectionOf(below.subscribe(WANTED));
      expect(there.requests[0]!.path).to.match(/^\/orion\/(v1|v2|ngsi-ld)\//);
      await below.close();
    });
  });
}
