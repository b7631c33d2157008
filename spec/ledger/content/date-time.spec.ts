import { expect } from 'chai';
import fc from 'fast-check';
import { isDateTime } from '../../../src/ledger/content/attributes.js';

describe('a date and time', () => {
  for (const text of [
    '2024-05-31T12:30:00Z',
    '2024-05-31T12:30:00.123456789Z',
    '2024-05-31T12:30:00,5Z',
    '2024-05-31T12:30:00+02:00',
    '2024-05-31T12:30:00-0330',
    '2024-05-31T12:30:00+02',
    '2024-05-31T12:30Z',
    '2024-05-31T12:30:00',
    '2024-02-29T00:00:00Z',
    '2000-02-29T23:59:59Z',
    '2016-12-31T23:59:60Z',
    '0001-01-01T00:00:00Z',
  ]) {
    it(`is ${text}`, () => expect(isDateTime(text)).to.equal(true));
  }
  for (const text of [
    '',
    'now',
    '2024',
    '2024-05-31',
    '12:30:00Z',
    '2024-05-31 12:30:00Z',
    '2024-05-31t12:30:00z',
    '1717158600',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-02-30T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-32T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00.Z',
    '2024-1-1T00:00:00Z',
    '24-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z\n',
    ' 2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00+1',
    '2024-01-01T00:00:00ZZ',
    '2024-01-01T00Z',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => expect(isDateTime(text)).to.equal(false));
  }
  it('is a string', () => {
    for (const value of [undefined, null, 1717158600, new Date(), ['2024-05-31T12:30:00Z'], {}]) {
      expect(isDateTime(value)).to.equal(false);
    }
  });
  it('is any that JavaScript formats', () => {
    const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(fc.property(dates, (date) => isDateTime(date.toISOString())));
  });
  it('has the days that the calendar has', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 9999 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(31),
        (y, m, d) => {
          const day = `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
          const date = new Date(Date.UTC(y, m - 1, d));
          expect(isDateTime(`${day}T00:00:00Z`)).to.equal(
            date.getUTCDate() === d && date.getUTCMonth() === m - 1,
          );
        },
      ),
    );
  });
});
