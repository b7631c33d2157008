import { expect } from 'chai';
import { pageModule } from '../forms/page-module.js';

interface Page {
  newDraft(servers: string, zone: string, now: number): Record<string, unknown>;
  bodyOf(draft: object, now: number): object;
  nameFor(draft: object, now: number): string;
  whenText(quiet: object): string;
  draftOf(quiet: object): Record<string, unknown>;
}

// A Wednesday, 23:30 in Berlin.
const NOW = Date.parse('2026-11-25T22:30:00Z');

describe('the form of a quiet time', () => {
  let page: Page;
  before(async () => {
    page = (await pageModule('pages/quiet/quiet-draft.ts')) as unknown as Page;
  });
  const body = (part: object) =>
    page.bodyOf({ ...page.newDraft('web-*, db-1', 'Europe/Berlin', NOW), ...part }, NOW);
  const servers = ['web-*', 'db-1'];

  it('asks for what was typed', () => {
    expect(body({})).to.deep.equal({ servers, duration: 3_600 });
    expect(body({ when: 'now', hours: '0,5', rules: 'busy, disk full', comment: ' why ' })).to.deep.equal({
      servers,
      rules: ['busy', 'disk full'],
      duration: 1_800,
      comment: 'why',
    });
    expect(body({ when: 'once', begin: '2026-12-01T22:00', end: '2026-12-02T01:00' })).to.deep.equal({
      servers,
      start: '2026-12-01T22:00:00',
      duration: 10_800,
      timezone: 'Europe/Berlin',
    });
  });

  it('lets one that recurs begin with the last one that may be running', () => {
    expect(body({ when: 'daily' })).to.deep.equal({
      servers,
      start: '2026-11-24T22:00:00',
      duration: 28_800,
      timezone: 'Europe/Berlin',
      rrule: 'FREQ=DAILY',
    });
    expect(body({ when: 'weekly', days: ['WE', 'SU'], dayBegin: '00:00', dayEnd: '00:00' })).to.deep.equal({
      servers,
      start: '2026-11-22T00:00:00',
      duration: 86_400,
      timezone: 'Europe/Berlin',
      rrule: 'FREQ=WEEKLY;BYDAY=WE,SU',
    });
  });

  it('leaves out what cannot be read', () => {
    expect(body({ hours: 'long' })).to.deep.equal({ servers });
    expect(body({ when: 'rule', hours: '', begin: '' })).to.include({ start: ':00' });
    expect(body({ when: 'daily', timezone: 'Nowhere' })).to.include({ timezone: 'Nowhere' });
  });

  it('begins with what is there, and asks for the same', () => {
    const at = { servers, start: '2026-11-24T22:00:00', duration: 28_800, timezone: 'Europe/Berlin' };
    const same = (more: object): object => page.bodyOf(page.draftOf({ ...at, ...more, name: 'q' }), NOW);
    const wholes = [
      {},
      { rrule: 'FREQ=DAILY', comment: 'why', rules: ['busy'] },
      { rrule: 'FREQ=WEEKLY;BYDAY=TU', duration: 86_400 },
      { rrule: 'FREQ=DAILY', duration: 100_000, start: '2026-01-01T22:00:00' },
      { rrule: 'FREQ=HOURLY;INTERVAL=3', duration: 5_400 },
    ];
    for (const more of wholes) expect(same(more)).to.deep.equal({ ...at, ...more });
    expect(wholes.map((more) => page.draftOf({ ...at, ...more, name: 'q' })['when'])).to.deep.equal([
      'once',
      'daily',
      'weekly',
      'rule',
      'rule',
    ]);
  });

  it('makes a name', () => {
    expect(page.nameFor({ servers: 'web-*.example' }, NOW)).to.equal('web-example-1125-223000');
    expect(page.nameFor({ servers: '*' }, NOW)).to.equal('all-1125-223000');
  });

  it('has words for when', () => {
    const at = { start: '2026-12-01T22:00:00', duration: 28_800, timezone: 'UTC' };
    expect(page.whenText(at)).to.equal('once, 2026-12-01 22:00 UTC, for 8 h');
    expect(page.whenText({ ...at, rrule: 'FREQ=DAILY' })).to.equal('every day, 22:00 UTC, for 8 h');
    expect(page.whenText({ ...at, duration: 5_400, rrule: 'FREQ=WEEKLY;BYDAY=SA,SU' })).to.equal(
      'every Saturday, Sunday, 22:00 UTC, for 90 min',
    );
    expect(page.whenText({ ...at, rrule: 'FREQ=HOURLY' })).to.equal('FREQ=HOURLY, 22:00 UTC, for 8 h');
  });
});
