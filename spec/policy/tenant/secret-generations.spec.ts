import { expect } from 'chai';
import { FIRST_GENERATION, rotated, signingAt } from '../../../src/policy/tenant/secret-generations.js';
import { NOON } from '../server/driven-server.js';
import { refused } from '../http/refused.js';

const DAY = 24 * 60 * 60 * 1000;

describe('the generations of a webhook secret', () => {
  it('start with one', () => {
    expect(signingAt(FIRST_GENERATION, NOON)).to.deep.equal({ current: 1, replaced: [] });
  });

  it('sign for exactly 24 hours after they are replaced', () => {
    const second = rotated(FIRST_GENERATION, NOON);
    expect(second).to.deep.equal({ current: 2, replaced: [{ generation: 1, until: NOON + DAY }] });
    expect(signingAt(second, NOON + DAY - 1)).to.deep.equal(second);
    expect(signingAt(second, NOON + DAY)).to.deep.equal({ current: 2, replaced: [] });
  });

  it('keep their 24 hours through further rotations, and are removed after them', () => {
    const third = rotated(rotated(FIRST_GENERATION, NOON), NOON + 1_000);
    expect(third.replaced).to.deep.equal([
      { generation: 2, until: NOON + 1_000 + DAY },
      { generation: 1, until: NOON + DAY },
    ]);
    expect(signingAt(third, NOON + DAY).replaced.map(({ generation }) => generation)).to.deep.equal([2]);
    expect(rotated(third, NOON + 2 * DAY)).to.deep.equal({
      current: 4,
      replaced: [{ generation: 3, until: NOON + 3 * DAY }],
    });
  });

  it('are ten at most until the oldest no longer signs', () => {
    let generations = FIRST_GENERATION;
    for (let i = 0; i < 9; i += 1) generations = rotated(generations, NOON + i);
    const { code, message } = refused(() => rotated(generations, NOON + 100));
    expect([code, message]).to.deep.equal([
      'conflict',
      '10 secrets sign already; another one can be made after 2026-01-16T12:00:00.000Z',
    ]);
    expect(rotated(generations, NOON + DAY).current).to.equal(11);
  });
});
