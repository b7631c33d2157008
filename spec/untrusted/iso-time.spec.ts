import { expect } from 'chai';
import { isoTime } from '../../src/untrusted/iso-time.js';

describe('a time of ISO 8601', () => {
  it('has a date, a time of day and a zone', () => {
    const at = Date.UTC(2026, 10, 21, 11);
    expect(isoTime('2026-11-21T11:00:00Z')).to.equal(at);
    expect(isoTime('2026-11-21T11:00Z')).to.equal(at);
    expect(isoTime('2026-11-21T12:30:00+01:30')).to.equal(at);
    expect(isoTime('2026-11-20T23:00:00-12:00')).to.equal(at);
    expect(isoTime('2026-11-21T11:00:00.250Z')).to.equal(at + 250);
    expect(isoTime('2026-11-21T11:00:00.250999999Z')).to.equal(at + 250);
    expect(isoTime('2028-02-29T00:00:00Z')).to.equal(Date.UTC(2028, 1, 29));
  });

  it('is no other text', () => {
    for (const text of [
      '',
      '2026-11-21',
      '2026-11-21T11:00:00',
      '2026-11-21 11:00:00Z',
      '2026-11-21T11:00:00ZZ',
      ' 2026-11-21T11:00:00Z',
      '2026-11-21T11:00:00.Z',
      '+002026-11-21T11:00:00Z',
      'Sat, 21 Nov 2026 11:00:00 GMT',
      '1795258800',
    ]) {
      expect(isoTime(text), text).to.equal(undefined);
    }
  });

  it('is not a day, hour or zone that does not exist', () => {
    for (const text of [
      '2026-02-30T00:00:00Z',
      '2026-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-01T00:00:00Z',
      '2026-01-00T00:00:00Z',
      '2026-01-01T25:00:00Z',
      '2026-01-01T00:60:00Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00+24:00',
    ]) {
      expect(isoTime(text), text).to.equal(undefined);
    }
  });
});
