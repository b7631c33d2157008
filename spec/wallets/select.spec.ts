import { inspect } from 'node:util';
import { expect } from 'chai';
import { Refusal } from '../../src/errors.js';
import type { HostAddress } from '../../src/untrusted/name-lookup.js';
import { type WalletOptions, openWallets } from '../../src/wallets/select.js';
import { rejectionOf } from '../rejection.js';
import { type StandIn, answerJson, standIn } from '../identity/stand-in.js';

const TOKEN = 'hvs.s3ntinel-T0ken';
const ADDRESS = `0x${'ab'.repeat(20)}`;
const PATH = '/v1/ethereum/accounts/a';
const V4 = { address: '127.0.0.1', family: 4 };

describe('the wallets that callers may name', () => {
  let server: StandIn;
  beforeEach(async () => {
    server = await standIn((_, response) => answerJson(response, 200, { data: { address: ADDRESS } }));
  });
  afterEach(() => server.close());

  /** The account that a wallet tells, or how it is refused. */
  async function outcome(
    address: string,
    options: Partial<WalletOptions> = {},
    token = TOKEN,
  ): Promise<string> {
    const wallets = openWallets({
      addresses: undefined,
      production: false,
      defaultKey: undefined,
      now: Date.now,
      ...options,
    });
    try {
      return await (await wallets.open({ type: 'vault', address, token })).account();
    } catch (error) {
      expect(error).to.be.instanceOf(Refusal);
      expect(inspect(error, { depth: 9 })).not.to.contain(TOKEN);
      return `${(error as Refusal).code}: ${(error as Refusal).message}`;
    } finally {
      await wallets.close();
    }
  }

  const at = (host: string): string => `http://${host}:${new URL(server.url).port}${PATH}`;

  /** Leads every name to these addresses, one after the other. */
  const leading = (...addresses: readonly (readonly HostAddress[])[]) => {
    const waiting = [...addresses];
    return async () => waiting.shift() ?? [];
  };

  it('are those on this machine in development', async () => {
    for (const host of ['127.0.0.1', 'localhost']) expect(await outcome(at(host)), host).to.equal(ADDRESS);
    expect(await outcome(at('vault.test'), { lookup: leading([V4]) })).to.equal(ADDRESS);
  });

  for (const host of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '192.0.2.1', '[fd00::1]', '8.8.8.8']) {
    it(`are in development not those at ${host}`, async () => {
      expect(await outcome(at(host))).to.match(/^forbidden: .*WALLET_ADDRESSES/);
    });
  }

  it('are in development not those of a name with an address elsewhere', async () => {
    const outside = { address: '10.0.0.1', family: 4 };
    for (const addresses of [[outside], [V4, outside]]) {
      expect(await outcome(at('vault.test'), { lookup: leading(addresses) })).to.match(/^forbidden/);
    }
  });

  it('are connected to at the checked address, also if their name changes', async () => {
    const lookup = leading([V4], [{ address: '10.0.0.1', family: 4 }]);
    const wallets = openWallets({
      addresses: undefined,
      production: false,
      defaultKey: undefined,
      now: Date.now,
      lookup,
    });
    const wallet = await wallets.open({ type: 'vault', address: at('vault.test'), token: TOKEN });
    expect(await wallet.account()).to.equal(ADDRESS);
    expect(server.requests[0]?.headers.host).to.match(/^vault\.test:/);
    await wallets.close();
  });

  it('are looked up again after a while', async () => {
    let now = 0;
    const lookup = leading([V4], [{ address: '10.0.0.1', family: 4 }]);
    const wallets = openWallets({
      addresses: undefined,
      production: false,
      defaultKey: undefined,
      now: () => now,
      lookup,
    });
    const named = { type: 'vault' as const, address: at('vault.test'), token: TOKEN };
    await wallets.open(named);
    now = 4_999;
    await wallets.open(named);
    now = 5_000;
    expect(await rejectionOf(wallets.open(named))).to.include({ code: 'forbidden' });
    await wallets.close();
  });

  it('are none in production without the setting', async () => {
    expect(await outcome(at('127.0.0.1'), { production: true })).to.match(/^forbidden: .*WALLET_ADDRESSES/);
    expect(await outcome(at('127.0.0.1'), { production: true, addresses: [server.url] })).to.equal(ADDRESS);
  });

  for (const production of [true, false]) {
    it(`are those that are listed and no others, ${production ? 'in production' : 'in development'}`, async () => {
      const options = { production, addresses: [`${server.url}/v1/ethereum`] };
      expect(await outcome(at('127.0.0.1'), options)).to.equal(ADDRESS);
      expect(await outcome(`${server.url}/v1/other/accounts/a`, options)).to.match(
        /^forbidden: .*WALLET_ADDRESSES/,
      );
      expect(await outcome(`${server.url}/v1/ethereum/../other/accounts/a`, options)).to.match(/^forbidden/);
      for (const up of ['%252e%252e', '%252E.', '..;', '..;x=1', '..%3b', '%252f', '%25252e'])
        expect(await outcome(`${server.url}/v1/ethereum/${up}/accounts/a`, options), up).to.match(
          /^bad-request/,
        );
      expect(await outcome(at('localhost'), options)).to.match(/^forbidden/);
      expect(await outcome(at('127.0.0.1'), { production, addresses: [] })).to.match(/^forbidden/);
    });
  }

  it('may be at any listed address', async () => {
    const addresses = ['http://vault.test'];
    const lookup = leading([{ address: '192.0.2.1', family: 4 }]);
    const wallets = openWallets({
      addresses,
      production: true,
      defaultKey: undefined,
      now: Date.now,
      lookup,
    });
    await wallets.open({ type: 'vault', address: `http://vault.test${PATH}`, token: TOKEN });
    await wallets.close();
  });

  it('are unavailable if their name cannot be looked up, and are sent nothing', async () => {
    const lookup = async (): Promise<never> => {
      throw new Error('no such name');
    };
    expect(await outcome(at('vault.test'), { lookup })).to.match(
      /^unavailable: .*vault\.test, cannot be looked up/,
    );
    expect(await outcome(at('vault.test'), { lookup, addresses: [at('vault.test')] })).to.match(
      /^unavailable/,
    );
    expect(server.requests).to.deep.equal([]);
  });

  it('are looked up only if they are listed', async () => {
    let lookups = 0;
    const lookup = async (): Promise<readonly HostAddress[]> => {
      lookups += 1;
      return [V4];
    };
    await outcome(at('vault.test'), { lookup, production: true });
    await outcome(at('vault.test'), { lookup, addresses: ['http://other.test'] });
    expect(lookups).to.equal(0);
  });

  for (const token of ['', ' ', `a b`, `${TOKEN}\n`, 'ä', 'a'.repeat(8_193)]) {
    it(`are not asked with the token ${JSON.stringify(token.slice(0, 30))}`, async () => {
      expect(await outcome(at('127.0.0.1'), {}, token)).to.match(/^bad-request: Wallet-Token must be/);
      expect(server.requests).to.deep.equal([]);
    });
  }

  it('are refused as malformed before they are refused as forbidden', async () => {
    expect(await outcome('http://10.0.0.1/v1/secret', { production: true })).to.match(/^bad-request/);
  });

  it('need not be named if there is a default account', async () => {
    const key = `0x${'11'.repeat(32)}` as const;
    const wallets = openWallets({ addresses: undefined, production: true, defaultKey: key, now: Date.now });
    expect(await wallets.defaultWallet?.account()).to.equal('0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a');
    await wallets.close();
  });

  it('must be named if there is no default account', async () => {
    const wallets = openWallets({
      addresses: undefined,
      production: true,
      defaultKey: undefined,
      now: Date.now,
    });
    expect(wallets.defaultWallet).to.equal(undefined);
    await wallets.close();
  });
});
