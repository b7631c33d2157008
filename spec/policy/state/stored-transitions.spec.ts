import { expect } from 'chai';
import fc from 'fast-check';
import { numberText } from '../../../src/policy/state/sentences.js';
import { storedTransitions, transitionsOf } from '../../../src/policy/state/stored-transitions.js';
import type { Transition } from '../../../src/policy/state/subscription-state.js';

const metric = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map(numberText);
const sentence = fc
  .array(fc.tuple(metric, number, number), { minLength: 1, maxLength: 4 })
  .map((all) =>
    all.map(([of, is, than]) => `the mean of ${of} is ${is}, not greater than ${than}`).join(', or '),
  )
  .map((phrase) => `Does not hold: ${phrase}.`);

describe('transitions as they are stored', () => {
  it('are the same when they are read, whatever their metrics and numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(sentence, fc.nat(3)), { maxLength: 4 }), (phrase) => {
        const all = phrase.flatMap(([one, more]) => Array.from({ length: more }, () => transitionOf(one)));
        const stored = JSON.parse(JSON.stringify(storedTransitions(all))) as ReturnType<
          typeof storedTransitions
        >;
        expect(transitionsOf(stored)).to.deep.equal(all);
        expect(stored.sentences.length).to.equal(new Set(stored.sentences).size);
      }),
    );
  });

  it('have large numbers of few characters', () => {
    const numbers = [1e308, -1.5e300, 1e21, 123_456_789_012_345_680_000].map(numberText);
    const [stored] = storedTransitions([transitionOf(`It is ${numbers.join(', ')}.`)]).sentences;
    expect(stored).to.equal('It is 1e+308, -1.5e+300, 1e+21, 123456789012345680000.');
  });
});

function transitionOf(phrase: string): Transition {
  return {
    at: 1,
    ruleId: 'r1',
    subscriptionId: 's1',
    from: 'calm',
    to: 'firing',
    sentence: phrase,
    factId: 1,
  };
}
