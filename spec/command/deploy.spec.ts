import { expect } from 'chai';
import { mayEmit } from '../../src/chain/contract-code.js';
import { reservedPort } from '../servers/ports.js';
import { type Anvil, FREE_CHAIN, FUNDED, startAnvil } from '../servers/chain.js';
import { runWords } from './command-runs.js';

describe('mirzam deploy', () => {
  let anvil: Anvil;
  before(async () => {
    anvil = await startAnvil([]);
  });
  after(() => anvil.stop());

  const deploy = (environment: Readonly<Record<string, string>>, ...options: readonly string[]) =>
    runWords(['deploy', ...options], environment);
  const right = () => ({ CHAIN_RPC_URL: anvil.url, DEPLOYER_KEY: FUNDED.key });

  /** The type of the transaction that is named first. */
  const typeOf = async (node: Anvil, err: string): Promise<unknown> => {
    const sent = await node.rpc('eth_getTransactionByHash', [err.slice(0, 66)]);
    return (sent as { readonly type: string }).type;
  };

  it('puts the contract on a chain with a base fee, by http and ws, and prints its address alone', async () => {
    for (const url of [anvil.url, anvil.wsUrl]) {
      const { code, out, err } = await deploy({ ...right(), CHAIN_RPC_URL: url });
      expect(code, err).to.equal(0);
      expect(out).to.match(/^0x[\da-f]{40}\n$/);
      const contract = out.trim();
      expect(err)
        .to.match(/^0x[\da-f]{64} is sent; waiting/)
        .and.to.include(`CHAIN_CONTRACT=${contract}\n`);
      expect(await typeOf(anvil, err)).to.equal('0x2');
      expect(mayEmit((await anvil.rpc('eth_getCode', [contract, 'latest'])) as `0x${string}`)).to.equal(true);
    }
  });

  it('sends a legacy transaction to a chain without a base fee', async () => {
    const free = await startAnvil(FREE_CHAIN);
    try {
      const { code, err } = await deploy({ ...right(), CHAIN_RPC_URL: free.url });
      expect(code, err).to.equal(0);
      expect(await typeOf(free, err)).to.equal('0x0');
    } finally {
      await free.stop();
    }
  });

  it('makes another contract each time, and takes the address of the node as an option', async () => {
    const first = await deploy(right());
    const second = await deploy({ DEPLOYER_KEY: FUNDED.key }, '--chain-rpc-url', anvil.url);
    expect([first.code, second.code]).to.deep.equal([0, 0]);
    expect(first.out).not.to.equal(second.out);
  });

  it('says which setting is missing or wrong, without the key', async () => {
    for (const [environment, words] of [
      [{ DEPLOYER_KEY: FUNDED.key }, /^mirzam deploy: CHAIN_RPC_URL is not set: it must be an http/],
      [{ CHAIN_RPC_URL: anvil.url }, /^mirzam deploy: DEPLOYER_KEY is not set/],
      [{ ...right(), DEPLOYER_KEY: 's3cret' }, /^mirzam deploy: DEPLOYER_KEY must be 64 hexadecimal digits/],
      [{ ...right(), CHAIN_RPC_URL: 'ftp://x' }, /^mirzam deploy: CHAIN_RPC_URL must be/],
    ] as const) {
      const { code, out, err } = await deploy(environment);
      expect([code, out]).to.deep.equal([2, '']);
      expect(err).to.match(words).and.not.to.include('s3cret');
    }
  });

  it('says what an account without funds needs, and that no node answers', async () => {
    const poor = await deploy({ ...right(), DEPLOYER_KEY: `0x${'11'.repeat(32)}` });
    expect([poor.code, poor.out]).to.deep.equal([2, '']);
    expect(poor.err).to.match(
      /^mirzam deploy: The account 0x[\da-f]{40} has 0 wei on chain 1337, and the contract costs up to \d+: send it \d+ wei/,
    );
    const down = await deploy({ ...right(), CHAIN_RPC_URL: `http://127.0.0.1:${await reservedPort()}` });
    expect(down.code).to.equal(2);
    expect(down.err).to.include('connection refused').and.not.to.include(FUNDED.key);
  });
});
