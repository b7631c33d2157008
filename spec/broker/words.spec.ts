import { expect } from 'chai';
import { wordsOf } from '../../src/broker/words.js';

describe('wordsOf', () => {
  it('are the telling members of an error, the general before the particular', () => {
    const said = { detail: 'no type', status: 400, title: 'Bad Request Data', other: 'x', description: '' };
    expect(wordsOf(said, [])).to.equal('Bad Request Data: no type');
  });

  it('are a text as it is', () => {
    expect(wordsOf(' not found\n', [])).to.equal('not found');
  });

  for (const said of [undefined, null, 7, [], {}, { detail: { a: 1 } }]) {
    it(`are none of ${JSON.stringify(said)}`, () => {
      expect(wordsOf(said, [])).to.equal('');
    });
  }

  it('have at most 500 characters', () => {
    expect(wordsOf('x'.repeat(500), [])).to.equal('x'.repeat(500));
    expect(wordsOf('x'.repeat(501), [])).to.equal(`${'x'.repeat(499)}…`);
  });

  it('are well-formed where they are cut', () => {
    expect(wordsOf('😀'.repeat(300), []).isWellFormed()).to.equal(true);
  });

  it('repeat no secret, even where they are cut', () => {
    const words = wordsOf(`key=abcdef, again abcdef ${'x'.repeat(470)}abcdef`, ['abcdef', '']);
    expect(words).to.match(/^key=…, again … x+…$/);
  });
});
