import { expect } from 'chai';
import { pageModule } from './page-module.js';

describe('a name where the console can show no elements', () => {
  let nameText: (name: string, most?: number) => string;
  before(async () => {
    ({ nameText } = (await pageModule('ui/text.tsx')) as unknown as { nameText: typeof nameText });
  });

  it('is itself if it is short', () => expect(nameText('busy 😀 <b>')).to.equal('busy 😀 <b>'));

  it('has its marks of direction as code points', () =>
    expect(nameText('a\u202Egnp.exe')).to.equal('aU+202Egnp.exe'));

  it('ends in … where it is cut, never in half a character', () => {
    expect(nameText(`${'y'.repeat(79)}😀abc`)).to.equal(`${'y'.repeat(79)}…`);
    expect(nameText(`${'y'.repeat(78)}😀abc`)).to.equal(`${'y'.repeat(78)}😀…`);
    expect(nameText('abc', 2)).to.equal('ab…');
  });
});
