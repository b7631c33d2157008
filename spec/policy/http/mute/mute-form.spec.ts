import { expect } from 'chai';
import { wishOf } from '../../../../src/policy/http/mute/mute-page.js';
import { refused } from '../refused.js';

const form = (fields: Record<string, string>) => new Map(Object.entries(fields));

describe('the form of a mute', () => {
  it('asks for one of three times, or to unmute', () => {
    for (const seconds of [3_600, 86_400, 604_800]) {
      expect(wishOf(form({ for: String(seconds) }))).to.equal(seconds);
    }
    expect(wishOf(form({ action: 'unmute' }))).to.equal('unmute');
  });

  it('of a mail program mutes seven days, whatever else it sends', () => {
    expect(wishOf(form({ 'List-Unsubscribe': 'One-Click' }))).to.equal(604_800);
    expect(wishOf(form({ 'List-Unsubscribe': 'One-Click', action: 'unmute' }))).to.equal(604_800);
  });

  it('is nothing else', () => {
    for (const fields of [
      {},
      { for: '' },
      { for: '1' },
      { for: '3600.0' },
      { for: '999999999' },
      { action: 'mute' },
      { action: 'unmute', for: '3600' },
      { 'list-unsubscribe': 'One-Click' },
      { 'List-Unsubscribe': 'one-click' },
    ]) {
      const { code, message } = refused(() => wishOf(form(fields as Record<string, string>)));
      expect(code).to.equal('bad-request');
      expect(message).to.contain(
        'for=3600, for=86400, for=604800, action=unmute, List-Unsubscribe=One-Click',
      );
    }
  });
});
