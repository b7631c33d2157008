import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Hex } from '../../src/chain/port.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { type Anvil, FREE_CHAIN } from '../servers/chain.js';
import { type Scene, minedIn, openScene } from './scene.js';

/** The behaviour of every connection to a chain's node when blocks leave the chain. */
export function reorganisationFeatures(urlOf: (node: Anvil) => string): void {
  describe('when blocks leave the chain', () => {
    let scene: Scene;
    let told: number[];
    let folder: string;

    // Each has a node of its own: some of them come back with other blocks, and a chain that went back is what is told of.
    beforeEach(async () => {
      scene = await openScene({ urlOf });
      await scene.node.rpc('evm_setAutomine', [false]);
      told = [];
      scene.chain.onReorganisation((from) => told.push(from));
      folder = await mkdtemp(join(tmpdir(), 'chain-spec-'));
    });
    afterEach(async () => {
      await scene.close();
      await rm(folder, { recursive: true });
    });

    const headIs = (number: number): Promise<true> =>
      eventually(
        () => scene.chain.head() === number || undefined,
        SOON_MS,
        () => `the head is ${scene.chain.head()}, not ${number}`,
      );
    const isTold = (): Promise<number> =>
      eventually(
        () => told[0],
        SOON_MS,
        () => 'nobody was told',
      );

    async function sent(): Promise<Hex> {
      const { raw, hash } = scene.signed({});
      expect(await scene.chain.send(raw)).to.deep.equal({ is: 'sent', known: false });
      return hash;
    }

    /** The hash of the block that the node has now. */
    const canonical = async (number: number): Promise<Hex> => (await scene.chain.block(number))!.hash;

    it('reports the lowest, once', async () => {
      await scene.mine(2);
      // Without it the blocks would be made again just as they were.
      await sent();
      await scene.mine(3);
      await headIs(6);
      await scene.node.rpc('anvil_reorg', [3, []]);
      expect(await isTold()).to.equal(4);
      await scene.mine(2);
      await headIs(8);
      expect(told).to.deep.equal([4]);
    });

    it('gives the receipt of the block that is on the chain', async () => {
      const hash = await sent();
      await scene.mine();
      const first = await minedIn(scene.chain, hash, 1);
      const wait = minedIn(scene.chain, hash, 4);
      await scene.mine(2);
      await headIs(4);
      await scene.node.rpc('anvil_reorg', [3, []]);
      await isTold();
      const raw = scene.signed({ nonce: 0 });
      expect(raw.hash).to.equal(hash);
      await scene.chain.send(raw.raw);
      await scene.mine(5);
      const receipt = await wait;
      expect(receipt.blockHash).to.not.equal(first.blockHash);
      expect(receipt.blockHash).to.equal(await canonical(Number(receipt.blockNumber)));
    });

    it('notices a node that comes back without the newest blocks', async () => {
      await scene.mine(2);
      const state = join(folder, 'state.json');
      const dumped = (await scene.node.rpc('anvil_dumpState')) as string;
      await writeFile(state, gunzipSync(Buffer.from(dumped.slice(2), 'hex')));
      const hash = await sent();
      await scene.mine();
      await minedIn(scene.chain, hash, 1);
      await scene.mine(2);
      await headIs(6);
      const late = minedIn(scene.chain, hash, 5);
      await scene.node.kill('SIGKILL');
      await scene.node.restart([...FREE_CHAIN, '--load-state', state]);
      expect(await isTold()).to.equal(4);
      await headIs(3);
      expect(await scene.chain.receipt(hash)).to.equal(undefined);
      await scene.node.rpc('evm_setAutomine', [false]);
      await scene.mine();
      await scene.chain.send(scene.signed({ nonce: 0 }).raw);
      await scene.mine(5);
      expect(await late).to.include({ blockNumber: '0x5', blockHash: await canonical(5) });
      expect(told).to.deep.equal([4]);
    });

    it('notices other blocks with the numbers of those that a node lost', async () => {
      const state = join(folder, 'state.json');
      const dumped = (await scene.node.rpc('anvil_dumpState')) as string;
      await writeFile(state, gunzipSync(Buffer.from(dumped.slice(2), 'hex')));
      const lost = await sent();
      await scene.mine(3);
      await headIs(4);
      await scene.node.kill('SIGKILL');
      await scene.node.restart([...FREE_CHAIN, '--load-state', state, '--block-time', '1']);
      await scene.node.rpc('anvil_mine', ['0x8']);
      expect(await isTold()).to.equal(2);
      await scene.chain.send(scene.signed({ nonce: 0 }).raw);
      const receipt = await minedIn(scene.chain, lost, 2);
      expect(Number(receipt.blockNumber)).to.be.above(9);
      expect(receipt.blockHash).to.equal(await canonical(Number(receipt.blockNumber)));
    });
  });
}
