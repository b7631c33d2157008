import { expect } from 'chai';
import fc from 'fast-check';
import { sameForm } from '../../../src/delivery/form/formats.js';
import { createHeaderSeal } from '../../../src/delivery/form/header-seal.js';

const seal = createHeaderSeal(Buffer.alloc(32, 1));
const value = fc.string({ minLength: 1, maxLength: 100 });

describe('the seal of headers', () => {
  it('gives back what it sealed, and shows nothing of it', () => {
    fc.assert(
      fc.property(fc.constantFrom('X-A', 'authorization'), value, (name, secret) => {
        const { headers } = seal.form('acme', { headers: { [name]: secret } });
        expect(seal.open('acme', headers!)).to.deep.equal({ [name.toLowerCase()]: secret });
        expect(headers![name]).to.match(/^[\w-]{38,}$/);
        if (secret.length > 8) expect(JSON.stringify(headers)).not.to.include(secret);
      }),
    );
  });

  it('seals equal values of one tenant and name equally, and no others', () => {
    const of = (tenant: string, headers: Readonly<Record<string, string>>, by = seal) =>
      by.form(tenant, { headers });
    const one = of('acme', { 'X-A': 'secret', 'X-B': 'more' });
    expect(sameForm(one, of('acme', { 'x-b': 'more', 'x-a': 'secret' }))).to.equal(true);
    const texts = [
      of('acme', { 'X-A': 'secret' }),
      of('acme', { 'X-A': 'Secret' }),
      of('acme', { 'X-B': 'secret' }),
      of('other', { 'X-A': 'secret' }),
      of('acme', { 'X-A': 'secret' }, createHeaderSeal(Buffer.alloc(32, 2))),
    ].map(({ headers }) => Object.values(headers!)[0]);
    expect(new Set(texts).size).to.equal(texts.length);
  });

  it('opens nothing of another tenant, name or key, and nothing that was changed', () => {
    const { headers } = seal.form('acme', { headers: { 'X-A': 'secret' } });
    const sealed = headers!['X-A']!;
    expect(() => seal.open('other', headers!)).to.throw();
    expect(() => seal.open('acme', { 'X-B': sealed })).to.throw();
    expect(() => createHeaderSeal(Buffer.alloc(32, 2)).open('acme', headers!)).to.throw();
    for (let i = 0; i < sealed.length - 1; i += 1) {
      const other = sealed[i] === 'A' ? 'B' : 'A';
      expect(() => seal.open('acme', { 'X-A': sealed.slice(0, i) + other + sealed.slice(i + 1) })).to.throw();
    }
  });

  it('has no members for what is plain', () => {
    expect(seal.form('acme', { format: 'mirzam', headers: {} })).to.deep.equal({});
  });
});
