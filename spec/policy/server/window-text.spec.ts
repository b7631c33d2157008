import { expect } from 'chai';
import fc from 'fast-check';
import { windowsText } from '../../../src/policy/server/window-text.js';
import { EMPTY_WINDOWS } from '../../../src/policy/server/window.js';

const percent = fc.oneof(
  fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
  fc.integer({ min: 0, max: 10_000 }).map((hundredths) => 100 - hundredths / 100),
  fc.double({ min: 0, max: 100, noNaN: true }),
);
const window = fc.record({ values: fc.array(percent, { maxLength: 12 }), at: fc.nat(2 ** 45) });
const windows = fc.record({ cpu: window, mem: window, hdd: window, net: window });

describe('the text of windows', () => {
  it('is that of JSON, whatever was measured', () => {
    fc.assert(
      fc.property(windows, (some) => {
        expect(windowsText(some)).to.equal(JSON.stringify(some));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is that of JSON where nothing was measured', () => {
    expect(windowsText(EMPTY_WINDOWS)).to.equal(JSON.stringify(EMPTY_WINDOWS));
  });
});
