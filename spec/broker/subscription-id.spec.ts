import { expect } from 'chai';
import {
  lastSegment,
  ldSubscriptionId,
  newMark,
  publicSubscriptionId,
} from '../../src/broker/subscription-id.js';

describe('publicSubscriptionId', () => {
  it('returns the digits of an id that the service chose in NGSI-LD', () => {
    const mark = newMark();
    expect(publicSubscriptionId(ldSubscriptionId(mark))).to.equal(mark);
  });

  for (const raw of [
    '0123456789abcdef01234567',
    '',
    'urn:ngsi-ld:Subscription:',
    'urn:ngsi-ld:Subscription:mine',
    'urn:ngsi-ld:Subscription:0123456789abcdef012345678',
    'urn:ngsi-ld:Subscription:0123456789ABCDEF01234567',
    'x:urn:ngsi-ld:Subscription:0123456789abcdef01234567',
  ]) {
    it(`returns ${JSON.stringify(raw)} as it is`, () => {
      expect(publicSubscriptionId(raw)).to.equal(raw);
    });
  }
});

describe('lastSegment', () => {
  for (const [location, id] of [
    ['/v2/subscriptions/51c0ac9e', '51c0ac9e'],
    ['https://orion:1026/v2/subscriptions/51c0ac9e', '51c0ac9e'],
    ['/ngsi-ld/v1/subscriptions/urn:ngsi-ld:Subscription:7', 'urn:ngsi-ld:Subscription:7'],
    ['/ngsi-ld/v1/subscriptions/urn%3Angsi-ld%3ASubscription%3A7', 'urn:ngsi-ld:Subscription:7'],
    ['/v2/subscriptions/', ''],
    ['/v2/subscriptions/%ff', undefined],
    ['http://:a', undefined],
    [null, undefined],
  ] as const) {
    it(`of ${location} is ${id}`, () => {
      expect(lastSegment(location)).to.equal(id);
    });
  }
});
