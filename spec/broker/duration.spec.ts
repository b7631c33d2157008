import { expect } from 'chai';
import { isoDuration, secondsOf } from '../../src/broker/duration.js';

describe('a duration in ISO 8601', () => {
  it('is written in seconds, and read back', () => {
    expect(isoDuration(86_400)).to.equal('PT86400S');
    expect(secondsOf(isoDuration(90))).to.equal(90);
  });

  for (const [text, seconds] of [
    ['P1W', 604_800],
    ['P2D', 172_800],
    ['P1DT2H3M4S', 93_784],
    ['PT1.5S', 1],
  ] as const) {
    it(`of ${text} has ${seconds} s`, () => {
      expect(secondsOf(text)).to.equal(seconds);
    });
  }

  for (const text of ['P1M', 'P1Y', 'P', 'PT', 'PT0S', '', 'x PT1S', 'PT1S x', 'PT-1S', undefined, 60]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(secondsOf(text)).to.equal(undefined);
    });
  }
});
