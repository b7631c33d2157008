import { expect } from 'chai';
import { explanationOf } from '../../src/broker/failures.js';

describe('explanationOf', () => {
  it('joins the explanatory members of an error, from general to specific', () => {
    const said = { detail: 'no type', status: 400, title: 'Bad Request Data', other: 'x', description: '' };
    expect(explanationOf(said, [])).to.equal('Bad Request Data: no type');
  });

  it('returns a text as it is', () => {
    expect(explanationOf(' not found\n', [])).to.equal('not found');
  });

  for (const said of [undefined, null, 7, [], {}, { detail: { a: 1 } }]) {
    it(`is empty for ${JSON.stringify(said)}`, () => {
      expect(explanationOf(said, [])).to.equal('');
    });
  }

  it('has at most 500 characters', () => {
    expect(explanationOf('x'.repeat(500), [])).to.equal('x'.repeat(500));
    expect(explanationOf('x'.repeat(501), [])).to.equal(`${'x'.repeat(499)}…`);
  });

  it('is well-formed after it is cut', () => {
    expect(explanationOf('😀'.repeat(300), []).isWellFormed()).to.equal(true);
  });

  it('repeats no secret, even where it is cut', () => {
    const words = explanationOf(`key=abcdef, again abcdef ${'x'.repeat(470)}abcdef`, ['abcdef', '']);
    expect(words).to.match(/^key=…, again … x+…$/);
  });
});
