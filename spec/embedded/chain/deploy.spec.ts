import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { type Anvil, FREE_CHAIN, startAnvil } from '../../servers/chain.js';
import { type Proxy, startProxy } from '../../chain/proxy.js';

/** What Anvil says if its first block comes between the two steps of its look at the newest one. */
const OUT_OF_RANGE = {
  code: -32_602,
  message: 'BlockOutOfRangeError: block height is 1 but requested was 0',
};

describe('the deployment of the contract', () => {
  let anvil: Anvil;
  let proxy: Proxy;
  beforeEach(async () => {
    anvil = await startAnvil(FREE_CHAIN);
    proxy = await startProxy(anvil.url);
  });
  afterEach(async () => {
    await proxy.close();
    await anvil.stop();
  });

  it('waits for its block while the node refuses to look', async () => {
    await anvil.rpc('evm_setAutomine', [false]);
    const deployed = deployTimestamper(proxy.url);
    const called = (method: string, times: number): Promise<unknown> => {
      const isCalled = (): true | undefined => proxy.count(method) >= times || undefined;
      return Promise.race([deployed, eventually(isCalled, SOON_MS, () => `${method} is not called`)]);
    };
    await called('eth_sendRawTransaction', 1);
    proxy.become({ refused: { eth_getCode: OUT_OF_RANGE } });
    await called('eth_getCode', proxy.count('eth_getCode') + 3);
    proxy.become({});
    await anvil.rpc('evm_mine');
    expect(await anvil.rpc('eth_getCode', [await deployed, 'latest'])).to.match(/^0x6/);
  });

  it('returns the address of a contract that is there, and sends nothing', async () => {
    const contract = await deployTimestamper(proxy.url);
    expect(await deployTimestamper(proxy.url)).to.equal(contract);
    expect(proxy.count('eth_sendRawTransaction')).to.equal(1);
  });
});
