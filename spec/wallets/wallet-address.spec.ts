import { expect } from 'chai';
import fc from 'fast-check';
import { Refusal } from '../../src/errors.js';
import { vault } from '../../src/wallets/vault.js';
import { type AccountAddress, accountAddress, underPrefixes } from '../../src/wallets/wallet-address.js';

const VAULT = 'https://vault.example.org';
const ETHSIGN = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';

const inVault = (text: string): AccountAddress => accountAddress(text, vault.form);

function faultOf(text: string): string {
  try {
    inVault(text);
  } catch (error) {
    expect(error).to.be.instanceOf(Refusal).and.to.include({ code: 'bad-request' });
    return (error as Refusal).message;
  }
  return expect.fail(`${text} was taken`);
}

const isUnder = (prefix: string, address: string): boolean => underPrefixes([prefix])(inVault(address));

describe('the address of a wallet', () => {
  for (const [what, written, address] of [
    ['as it is', `${VAULT}/v1/ethereum/accounts/a.b-c_1`, `${VAULT}/v1/ethereum/accounts/a.b-c_1`],
    ['with a slash at its end', `${VAULT}/v1/ethereum/accounts/a/`, `${VAULT}/v1/ethereum/accounts/a`],
    ['with the default port', 'https://vault.example.org:443/v1/e/accounts/a', `${VAULT}/v1/e/accounts/a`],
    [
      'with capitals in scheme and host',
      'HTTPS://Vault.Example.ORG/v1/e/accounts/a',
      `${VAULT}/v1/e/accounts/a`,
    ],
    ['with dot segments', `${VAULT}/v1/x/../e/./accounts/a`, `${VAULT}/v1/e/accounts/a`],
    ['with encoded dot segments', `${VAULT}/v1/x/%2e%2E/e/%2e/accounts/a`, `${VAULT}/v1/e/accounts/a`],
    ['with letters encoded', `${VAULT}/v1/%65/accounts/%61`, `${VAULT}/v1/e/accounts/a`],
    ['with a blank encoded', `${VAULT}/v1/my%20e/accounts/a`, `${VAULT}/v1/my%20e/accounts/a`],
    [
      'with the shorthand of an address',
      'http://127.1:8200/v1/e/accounts/a',
      'http://127.0.0.1:8200/v1/e/accounts/a',
    ],
    ['with IPv6', 'http://[0:0::1]:8200/v1/e/accounts/a', 'http://[::1]:8200/v1/e/accounts/a'],
    ['of ethsign', `${VAULT}/v1/s/accounts/${ETHSIGN}`, `${VAULT}/v1/s/accounts/${ETHSIGN.toLowerCase()}`],
    [
      'behind a proxy',
      'http://localhost:8080/vault/v1/e/accounts/a',
      'http://localhost:8080/vault/v1/e/accounts/a',
    ],
  ] as const) {
    it(`is one, written ${what}`, () => {
      expect(inVault(written).url.href).to.equal(address);
    });
  }

  it('names host and account', () => {
    expect(inVault('http://[::1]:8200/v1/e/accounts/a')).to.include({
      host: '::1',
      isIp: true,
      name: 'a',
    });
    expect(inVault(`${VAULT}/v1/e/accounts/a`)).to.include({ host: 'vault.example.org', isIp: false });
  });

  for (const [what, text, fault] of [
    ['nothing', '', 'no http'],
    ['no URL', 'vault.example.org/v1/e/accounts/a', 'no http'],
    ['another scheme', 'ftp://vault.example.org/v1/e/accounts/a', 'no http'],
    ['a user', 'https://me@vault.example.org/v1/e/accounts/a', 'user name'],
    ['a password', 'https://:secret@vault.example.org/v1/e/accounts/a', 'user name'],
    ['a query', `${VAULT}/v1/e/accounts/a?x=1`, 'query'],
    ['an empty query', `${VAULT}/v1/e/accounts/a?`, 'query'],
    ['a fragment', `${VAULT}/v1/e/accounts/a#x`, 'fragment'],
    ['an empty fragment', `${VAULT}/v1/e/accounts/a#`, 'fragment'],
    ['a line break', `${VAULT}/v1/e/acc\nounts/a`, 'printable'],
    ['a blank', `${VAULT}/v1/e/accounts/a `, 'printable'],
    ['a letter that is not ASCII', `${VAULT}/v1/e/accounts/ä`, 'printable'],
    ['a backslash', `${VAULT}/v1\\e/accounts/a`, 'backslash'],
    ['an encoded slash', `${VAULT}/v1/e%2faccounts/accounts/a`, 'segments'],
    ['an encoded backslash', `${VAULT}/v1/e%5C/accounts/a`, 'segments'],
    ['an encoded control character', `${VAULT}/v1/e%00/accounts/a`, 'segments'],
    ['a dot segment encoded twice', `${VAULT}/v1/%252e%252e/accounts/a`, 'segments'],
    ['a letter encoded twice', `${VAULT}/v1/%2565/accounts/a`, 'segments'],
    ['a dot segment with a parameter', `${VAULT}/v1/..;x/accounts/a`, 'segments'],
    ['an encoding of no text', `${VAULT}/v1/%ff/accounts/a`, 'segments'],
    ['half an encoding', `${VAULT}/v1/%6/accounts/a`, 'segments'],
    ['an empty segment', `${VAULT}/v1//e/accounts/a`, 'segments'],
    ['two slashes at its end', `${VAULT}/v1/e/accounts/a//`, 'segments'],
    ['no path', VAULT, 'of an account'],
    ['no account', `${VAULT}/v1/e/accounts`, 'of an account'],
    ['no account, with a slash', `${VAULT}/v1/e/accounts/`, 'of an account'],
    ['more than an account', `${VAULT}/v1/e/accounts/a/sign-tx`, 'of an account'],
    ['a secret elsewhere', `${VAULT}/v1/secret/data/a`, 'of an account'],
    ['a name with an encoded question mark', `${VAULT}/v1/e/accounts/a%3flist=true`, 'of an account'],
    ['a name that begins with a dot', `${VAULT}/v1/e/accounts/.a`, 'of an account'],
    ['a name of 256 characters', `${VAULT}/v1/e/accounts/${'a'.repeat(256)}`, 'of an account'],
  ] as const) {
    it(`is not one with ${what}`, () => {
      const message = faultOf(text);
      expect(message).to.contain(fault);
      expect(message).to.match(/^Wallet-Address .*such as https:/);
      expect(message).not.to.contain('secret@');
    });
  }

  it('is read or refused for any text, and read the same in its normal form', () => {
    const part = fc.constantFrom(
      'v1',
      'e',
      '..',
      '.',
      '%2e',
      '%2F',
      '',
      'accounts',
      'a',
      'A%20b',
      '%',
      ETHSIGN,
    );
    const text = fc.array(part, { maxLength: 6 }).map((parts) => `${VAULT}/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.oneof(text, fc.webUrl(), fc.string()), (written) => {
        let read;
        try {
          read = inVault(written);
        } catch (error) {
          expect(error).to.be.instanceOf(Refusal);
          return;
        }
        expect(inVault(read.url.href)).to.deep.equal(read);
        expect(read.segments.every((segment) => !/^\.{0,2}$|\//.test(segment))).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });

  describe('lies under a prefix', () => {
    const address = `${VAULT}/v1/ethereum/accounts/team-a`;
    for (const prefix of [
      VAULT,
      `${VAULT}/`,
      `${VAULT}:443/v1`,
      `${VAULT}/v1/ethereum`,
      `${VAULT}/v1/ethereum/`,
      `${VAULT}/v1/%65thereum/accounts`,
      `${VAULT}/x/../v1/ethereum/accounts/team-a`,
    ]) {
      it(prefix, () => expect(isUnder(prefix, address)).to.equal(true));
    }

    for (const prefix of [
      `${VAULT}/v1/eth`,
      `${VAULT}/v1/ethereum/accounts/team`,
      `${VAULT}/v1/ethereum/accounts/team-a/b`,
      `${VAULT}/V1/ethereum`,
      `${VAULT}:8200/v1`,
      'http://vault.example.org/v1',
      'https://vault.example.org.evil.example/v1',
      'https://example.org/v1',
    ]) {
      it(`but not ${prefix}`, () => expect(isUnder(prefix, address)).to.equal(false));
    }

    it('in its normal form, not as written', () => {
      expect(isUnder(`${VAULT}/v1/mine`, `${VAULT}/v1/mine/../other/accounts/a`)).to.equal(false);
      expect(isUnder(`${VAULT}/v1/mine`, `${VAULT}/v1/mine/%2e%2e/other/accounts/a`)).to.equal(false);
      expect(
        isUnder(`${VAULT}/v1/s/accounts/${ETHSIGN}`, `${VAULT}/v1/s/accounts/${ETHSIGN.toLowerCase()}`),
      ).to.equal(true);
    });

    it('of several, and of none if there is no prefix', () => {
      expect(underPrefixes(['https://a.example', VAULT])(inVault(address))).to.equal(true);
      expect(underPrefixes([])(inVault(address))).to.equal(false);
    });

    for (const prefix of ['vault', 'https://user:s3cret@vault.example', `${VAULT}?x`, `${VAULT}//v1`]) {
      it(`which cannot be ${prefix}`, () => {
        expect(() => underPrefixes([prefix]))
          .to.throw(/WALLET_ADDRESSES/)
          .and.not.match(/s3cret/);
      });
    }
  });
});
