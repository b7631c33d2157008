import { expect } from 'chai';
import { type Broker, BrokerRefused, BrokerUnavailable } from '../../src/broker/port.js';
import { openBroker } from '../../src/broker/select.js';
import { NEW_YEAR, WANTED, brokerBehaviour } from './broker.features.js';
import { brokerFailures } from './failures.features.js';
import { rejectionOf } from '../rejection.js';
import { ngsi10StandIn } from './stand-ins/ngsi10.js';
import type { BrokerStandIn } from './stand-ins/stand-in.js';

const ID = '0123456789abcdef01234567';

describe('ngsi10', () => {
  const api = 'ngsi10';
  brokerBehaviour({ api, start: ngsi10StandIn, sendsHeaders: false, firstMs: 120_000, marks: false });
  brokerFailures({ api, start: ngsi10StandIn, sendsHeaders: false, firstMs: 120_000, marks: false });

  let there: BrokerStandIn;
  let broker: Broker;

  beforeEach(async () => {
    there = await ngsi10StandIn(() => NEW_YEAR);
    broker = openBroker({ url: there.url, api, now: () => NEW_YEAR });
  });

  afterEach(async () => {
    await broker.close();
    await there.close();
  });

  const answering = (body: unknown, status = 200) =>
    there.failWith(
      { how: 'answer', status, body: typeof body === 'string' ? body : JSON.stringify(body) },
      1,
    );

  const bodies = () => there.requests.map(({ body }) => JSON.parse(body) as unknown);

  it('sends the requests of Orion’s documentation', async () => {
    const { id } = await broker.subscribe(WANTED);
    await broker.renew(id, WANTED);
    await broker.unsubscribe(id, WANTED.tenant);
    expect(there.requests.map(({ path }) => path)).to.deep.equal([
      '/v1/subscribeContext',
      '/v1/updateContextSubscription',
      '/v1/unsubscribeContext',
    ]);
    expect(bodies()).to.deep.equal([
      {
        entities: [{ type: 'host', isPattern: 'false', id: 'srv-1_a' }],
        attributes: WANTED.attributes,
        reference: WANTED.callback,
        duration: 'PT120S',
        notifyConditions: [{ type: 'ONCHANGE', condValues: WANTED.attributes }],
      },
      { subscriptionId: id, duration: 'PT86400S' },
      { subscriptionId: id },
    ]);
  });

  for (const [granted, seconds] of [
    ['PT1H30M', 5_400],
    ['PT24H', 86_400],
    ['P1W', 86_400],
    ['P0DT45S', 45],
    ['P1M', 86_400],
    ['PT0S', 86_400],
    ['soon', 86_400],
    [undefined, 86_400],
    [3_600, 86_400],
  ] as const) {
    it(`expects ${seconds} s if the broker grants ${granted} of a day`, async () => {
      answering({ subscribeResponse: { subscriptionId: ID, duration: granted } });
      const first = NEW_YEAR + Math.min(seconds, 120) * 1000;
      expect(await broker.subscribe(WANTED)).to.deep.equal({ id: ID, expiresAt: first });
      answering({ subscribeResponse: { subscriptionId: ID, duration: granted } });
      expect(await broker.renew(ID, WANTED)).to.deep.equal({ id: ID, expiresAt: NEW_YEAR + seconds * 1000 });
    });
  }

  for (const code of ['404', '470', 404]) {
    it(`reads the error code ${JSON.stringify(code)} in the body as an unknown subscription`, async () => {
      answering({ subscribeError: { subscriptionId: ID, errorCode: { code, reasonPhrase: 'No such' } } });
      expect(await broker.renew(ID, WANTED)).to.equal(undefined);
      answering({ subscriptionId: ID, statusCode: { code, reasonPhrase: 'No such' } });
      await broker.unsubscribe(ID, WANTED.tenant);
      expect(there.requests).to.have.length(2);
    });
  }

  it('refuses a creation that is answered with an unknown subscription', async () => {
    answering({ subscribeError: { errorCode: { code: '404', reasonPhrase: 'No context element found' } } });
    const error = await rejectionOf(broker.subscribe(WANTED));
    expect(error).to.be.instanceOf(BrokerRefused);
    expect(error.message).to.contain('No context element found');
  });

  for (const code of ['400', '403', '472']) {
    it(`refuses on the error code ${code} in the body, with its explanation`, async () => {
      const errorCode = { code, reasonPhrase: 'Not so', details: 'be\nother' };
      const errors = [];
      answering({ subscribeError: { errorCode } });
      errors.push(await rejectionOf(broker.subscribe(WANTED)));
      answering({ subscribeError: { errorCode } });
      errors.push(await rejectionOf(broker.renew(ID, WANTED)));
      answering({ subscriptionId: ID, statusCode: errorCode });
      errors.push(await rejectionOf(broker.unsubscribe(ID, WANTED.tenant)));
      answering({ orionError: errorCode });
      errors.push(await rejectionOf(broker.unsubscribe(ID, WANTED.tenant)));
      answering({ errorCode });
      errors.push(await rejectionOf(broker.subscribe(WANTED)));
      for (const error of errors) {
        expect(error).to.be.instanceOf(BrokerRefused);
        expect(error.message).to.contain(`${code}: Not so: be other`);
      }
    });
  }

  for (const code of ['500', '501', '408', '429', undefined]) {
    it(`is unavailable on the error code ${code} in the body`, async () => {
      answering({ subscribeError: { errorCode: { code, reasonPhrase: 'Receiver internal error' } } });
      const error = await rejectionOf(broker.subscribe(WANTED));
      expect(error).to.be.instanceOf(BrokerUnavailable);
      expect(error.message).to.contain('Receiver internal error');
    });
  }

  it('distinguishes an unknown path from an unknown subscription', async () => {
    answering({ orionError: { code: '404', reasonPhrase: 'Not Found' } });
    expect(await rejectionOf(broker.unsubscribe(ID, WANTED.tenant))).to.be.instanceOf(BrokerRefused);
    answering({ error: 'NotFound' }, 404);
    const error = await rejectionOf(broker.unsubscribe(ID, WANTED.tenant));
    expect(error).to.be.instanceOf(BrokerRefused);
    expect(error.message).to.contain('check BROKER_URL and BROKER_API');
  });

  for (const text of [
    '',
    '<html>hello</html>',
    'null',
    '[]',
    '{}',
    '{"subscribeResponse":{"subscriptionId":7}}',
  ]) {
    it(`is unavailable on the answer ${JSON.stringify(text)}`, async () => {
      for (const ask of [
        () => broker.subscribe(WANTED),
        () => broker.renew(ID, WANTED),
        () => broker.unsubscribe(ID, WANTED.tenant),
      ]) {
        answering(text);
        const error = await rejectionOf(ask());
        expect(error).to.be.instanceOf(BrokerUnavailable);
        expect(error.message).to.contain('something unexpected');
      }
    });
  }

  it('is unavailable if another subscription was extended', async () => {
    answering({ subscribeResponse: { subscriptionId: 'another', duration: 'PT24H' } });
    expect(await rejectionOf(broker.renew(ID, WANTED))).to.be.instanceOf(BrokerUnavailable);
  });

  for (const id of ['', 'a b', 'urn:x', 'a/b', 'a'.repeat(257)]) {
    it(`refuses the id ${JSON.stringify(id.slice(0, 9))} of ${id.length} characters`, async () => {
      answering({ subscribeResponse: { subscriptionId: id, duration: 'PT24H' } });
      const error = await rejectionOf(broker.subscribe(WANTED));
      expect(error).to.be.instanceOf(BrokerUnavailable);
      expect(error.message).to.contain('no usable id');
      const ended = id.length <= 256 ? [{ subscriptionId: id }] : [];
      expect(bodies().slice(1)).to.deep.equal(ended);
    });
  }

  it('accepts an id of 256 characters', async () => {
    const id = 'a'.repeat(256);
    answering({ subscribeResponse: { subscriptionId: id, duration: 'PT24H' } });
    expect((await broker.subscribe(WANTED)).id).to.equal(id);
  });

  it('sends no request with a character that Orion refuses, and names the text to change', async () => {
    const callback = 'http://policies.example/a;b=c';
    const error = await rejectionOf(broker.subscribe({ ...WANTED, callback }));
    expect(error).to.be.instanceOf(BrokerRefused);
    expect(error.message).to.match(/address for notifications.*< > " ' = ; \( \).*PUBLIC_URL/);
    expect(there.requests).to.have.length(0);
  });

  it('ignores the characters of headers, which it does not send', async () => {
    await broker.subscribe({ ...WANTED, headers: { 'X-Facts-Key': 'a=b' } });
    expect(there.subscriptions()).to.have.length(1);
  });
});
