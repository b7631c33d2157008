import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { timestampCall } from '../../src/chain/timestamp-call.js';
import { repository } from '../scripts/fixture.js';
import { FREE_CHAIN } from '../servers/chain.js';
import { minedIn, openScene, wordOf } from './scene.js';

describe('the contract Timestamper', () => {
  it('is checked in as the compiler makes it', async () => {
    const root = pathToFileURL(`${repository}/`);
    const script = (await import(new URL('scripts/compile-contract.js', root).href)) as {
      compileContract(root: URL): string;
    };
    const text = readFileSync(new URL('src/chain/timestamper.ts', root), 'utf8');
    expect(script.compileContract(root)).to.equal(text);
  });

  it('runs on chains with the rules of 2019', async () => {
    const [, , ...price] = FREE_CHAIN;
    const scene = await openScene({ args: ['--hardfork', 'istanbul', ...price] });
    const receipt = await scene.record(1);
    expect(receipt).to.include({ status: '0x1', to: scene.contract });
    await scene.close();
  });

  it('accepts no other call', async () => {
    const scene = await openScene();
    const sent = scene.signed({ data: `0xdeadbeef${timestampCall(wordOf(1), wordOf(1)).slice(10)}` });
    await scene.chain.send(sent.raw);
    const receipt = await minedIn(scene.chain, sent.hash, 1);
    expect(receipt).to.deep.include({ status: '0x0', logs: [] });
    await scene.close();
  });
});
