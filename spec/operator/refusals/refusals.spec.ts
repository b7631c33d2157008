import { expect } from 'chai';
import {
  createRefusals,
  REFUSALS_LIMIT,
  type RefusedMeasurements,
} from '../../../src/operator/refusals/refusals.js';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const all = (): boolean => true;

/** A refusal; equal but for what is given. */
function refused(given: Partial<RefusedMeasurements> = {}): RefusedMeasurements {
  const message = 'body: no element measures anything';
  return { tenant: 'acme', isKnown: true, path: '/v1.0/acme/notify', status: 400, message, ...given };
}

describe('refused measurements', () => {
  let now: number;
  let added: RefusedMeasurements[];
  beforeEach(() => {
    now = NOON;
    added = [];
  });
  const create = () =>
    createRefusals(
      () => now,
      (one) => added.push(one),
    );

  it('are listed newest first, those of a minute that are equal together, with their number', () => {
    const refusals = create();
    refusals.add(refused());
    now += 10_000;
    refusals.add(refused({ status: 404 }));
    refusals.add(refused({ path: '/acme/notify' }));
    refusals.add(refused({ message: 'other' }));
    refusals.add(refused({ tenant: 'other' }));
    now += 10_000;
    refusals.add(refused());
    now = NOON + 60_000;
    refusals.add(refused());
    const listed = refusals.list(all, 100);
    expect(listed.map(({ at, times }) => [at.slice(14, 19), times])).to.deep.equal([
      ['01:00', 1],
      ['00:20', 2],
      ['00:10', 1],
      ['00:10', 1],
      ['00:10', 1],
      ['00:10', 1],
    ]);
    const { tenant, path, status, message } = refused();
    expect(listed[1]).to.deep.equal({
      at: '2026-11-21T12:00:20.000Z',
      tenant,
      path,
      status,
      message,
      times: 2,
    });
    expect(listed.slice(2).map((one) => [one.tenant, one.message, one.path, one.status])).to.deep.equal([
      ['other', message, path, 400],
      ['acme', 'other', path, 400],
      ['acme', message, '/acme/notify', 400],
      ['acme', message, path, 404],
    ]);
    expect(refusals.list((one) => one === 'acme', 2)).to.deep.equal(listed.slice(0, 2));
    expect(refusals.list((one) => one === 'other', 100)).to.deep.equal([listed[2]]);
  });

  it('are the last 1,000', () => {
    const refusals = create();
    for (let i = 0; i < REFUSALS_LIMIT + 5; i += 1)
      refusals.add(refused({ path: `/${i}`, isKnown: i % 2 === 0 }));
    const paths = refusals.list(all, REFUSALS_LIMIT + 10).map(({ path }) => path);
    expect(paths).to.deep.equal(
      Array.from({ length: REFUSALS_LIMIT }, (_, i) => `/${REFUSALS_LIMIT + 4 - i}`),
    );
  });

  it('of strangers do not push out those of known tenants', () => {
    const refusals = create();
    for (let i = 0; i < 100; i += 1) refusals.add(refused({ path: `/${i}` }));
    for (let i = 0; i < 5_000; i += 1) refusals.add(refused({ tenant: `stranger${i}`, isKnown: false }));
    const listed = refusals.list(all, REFUSALS_LIMIT);
    expect(listed).to.have.length(REFUSALS_LIMIT);
    expect(listed[0]!.tenant).to.equal('stranger4999');
    expect(listed.filter(({ tenant }) => tenant === 'acme')).to.have.length(100);
    for (let i = 0; i < REFUSALS_LIMIT; i += 1) refusals.add(refused({ path: `/late${i}` }));
    for (let i = 0; i < 5_000; i += 1) refusals.add(refused({ tenant: `late${i}`, isKnown: false }));
    const late = refusals.list(all, REFUSALS_LIMIT).filter(({ tenant }) => tenant === 'acme');
    expect(late.map(({ path }) => path)).to.deep.equal(
      Array.from({ length: REFUSALS_LIMIT / 2 }, (_, i) => `/late${REFUSALS_LIMIT - 1 - i}`),
    );
  });

  it('are counted by status, and in the last hour', () => {
    const refusals = create();
    for (let minute = 0; minute < 90; minute += 1) {
      now = NOON + minute * 60_000;
      refusals.add(refused());
      refusals.add(refused({ status: 404, isKnown: false }));
    }
    expect(refusals.lastHour()).to.equal(120);
    expect([...refusals.totals()]).to.deep.equal([
      [400, 90],
      [404, 90],
    ]);
    now += 30 * 60_000;
    expect(refusals.lastHour()).to.equal(60);
    now += 30 * 60_000;
    expect(refusals.lastHour()).to.equal(0);
  });

  it('have texts that are cut, in the list and for the log', () => {
    const refusals = create();
    refusals.add(
      refused({ tenant: 't'.repeat(300), path: `/${'😀'.repeat(9_000)}`, message: 'm'.repeat(4_000) }),
    );
    const { tenant, path, message } = refusals.list(all, 1)[0]!;
    expect([tenant.length, path.length, message.length]).to.deep.equal([256, 600, 1_000]);
    expect(path.isWellFormed()).to.equal(true);
    expect(added).to.deep.equal([{ tenant, path, message, status: 400, isKnown: true }]);
  });
});
