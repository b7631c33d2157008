import { expect } from 'chai';
import { equalSecrets } from '../../src/system/equal-secrets.js';

describe('equal secrets', () => {
  it('are the same text or bytes', () => {
    expect(equalSecrets('open sesame', 'open sesame')).to.equal(true);
    expect(equalSecrets('open sesame', Buffer.from('open sesame'))).to.equal(true);
  });

  it('differ in any character or in length', () => {
    for (const other of ['', 'open', 'open sesamE', 'Open sesame', 'open sesame '])
      expect(equalSecrets('open sesame', other), other).to.equal(false);
  });
});
