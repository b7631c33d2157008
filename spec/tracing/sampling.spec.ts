import { expect } from 'chai';
import { parentOf, sampler } from '../../src/tracing/sampling.js';

const LOW = `00-${'0'.repeat(31)}1-00000000000000a1-01`;
const HIGH = `00-${'f'.repeat(32)}-00000000000000a1-00`;

describe('the parent of a request', () => {
  it('is read from a valid traceparent only', () => {
    expect(parentOf(LOW)).to.deep.equal({
      traceId: `${'0'.repeat(31)}1`,
      spanId: '00000000000000a1',
      sampled: true,
    });
    expect(parentOf(HIGH)?.sampled).to.equal(false);
    expect(parentOf(`cc${LOW.slice(2)}-more`)?.sampled).to.equal(true);
    for (const wrong of [
      undefined,
      '',
      'x',
      `ff${LOW.slice(2)}`,
      `${LOW}0`,
      LOW.replace('a1', 'A1'),
      `00-${'0'.repeat(32)}-00000000000000a1-01`,
      `00-${'f'.repeat(32)}-0000000000000000-01`,
    ])
      expect(parentOf(wrong), wrong).to.equal(undefined);
  });
});

describe('a sampler', () => {
  it('follows the parent if it is parent-based, and decides by itself otherwise', () => {
    for (const [name, ratio, decisions] of [
      ['always_on', 0, [true, true, true]],
      ['always_off', 1, [false, false, false]],
      ['traceidratio', 0.5, [undefined, true, false]],
      ['parentbased_always_on', 0, [true, true, false]],
      ['parentbased_always_off', 1, [false, true, false]],
      ['parentbased_traceidratio', 0, [false, true, false]],
      ['parentbased_traceidratio', 1, [true, true, false]],
    ] as const) {
      const decide = sampler(name, ratio);
      const [root, low, high] = decisions;
      if (root !== undefined) expect(decide(undefined), `${name} ${ratio}`).to.equal(root);
      expect([decide(parentOf(LOW)), decide(parentOf(HIGH))], name).to.deep.equal([low, high]);
    }
  });
});
