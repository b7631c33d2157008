import { expect } from 'chai';
import { ldSubscriptionId, newMark, publicSubscriptionId } from '../../src/broker/subscription-id.js';

describe('publicSubscriptionId', () => {
  it('shows the digits of an id that the service chose in NGSI-LD', () => {
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
    it(`leaves ${JSON.stringify(raw)} alone`, () => {
      expect(publicSubscriptionId(raw)).to.equal(raw);
    });
  }
});
