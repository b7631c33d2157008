import { expect } from 'chai';
import { pageModule } from './page-module.js';

describe('times in seconds as the console shows them', () => {
  let secondsText: (seconds: number) => string;
  let lengthText: (seconds: number) => string;
  before(async () => {
    ({ secondsText, lengthText } = (await pageModule('pages/rules/seconds-text.ts')) as unknown as {
      secondsText: (seconds: number) => string;
      lengthText: (seconds: number) => string;
    });
  });

  it('are exact for a rule, in the largest unit that divides them', () => {
    expect([0, 1, 59, 60, 61, 90, 600, 3_600, 5_400, 86_400, 90_000, 604_800].map(secondsText)).to.deep.equal(
      ['0 s', '1 s', '59 s', '1 min', '61 s', '90 s', '10 min', '1 h', '90 min', '1 d', '25 h', '7 d'],
    );
  });

  it('are in two units for the result of a backtest', () => {
    expect([0, 59.5, 60, 119, 600.25, 3_600, 3_661, 135_600].map(lengthText)).to.deep.equal([
      '0 s',
      '59.5 s',
      '1 min',
      '1 min 59 s',
      '10 min',
      '1 h',
      '1 h 1 min',
      '37 h 40 min',
    ]);
  });
});
