import { expect } from 'chai';
import { lastSegment } from '../../src/broker/location.js';

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
