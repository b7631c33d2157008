import { expect } from 'chai';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import { ChainMisfit, type Sent } from '../../src/chain/port.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import type { Anvil } from '../servers/chain.js';
import { minedIn, openScene, type Scene } from './scene.js';

/** The behaviour of every connection to a chain's node when the contract is gone. */
export function contractFeatures(urlOf: (node: Anvil) => string): void {
  describe('without the contract', () => {
    let scene: Scene;
    let told: number;

    beforeEach(async () => {
      scene = await openScene({ urlOf });
      told = 0;
      scene.chain.onReorganisation(() => (told += 1));
      await scene.chain.ping();
    });
    afterEach(() => scene.close());

    const sent = (): Promise<Sent> => scene.chain.send(scene.signed({ nonce: 0 }).raw);
    const mined = async (): Promise<number> => scene.chain.nextNonce(scene.account, 'pending');
    const toldAgain = (times: number): Promise<true> =>
      eventually(
        () => told > times || undefined,
        SOON_MS,
        () => 'nobody is told',
      );
    const isUnsent = async (answer: Sent): Promise<void> => {
      expect(answer.is).to.equal('unsent');
      expect(answer).to.have.property('detail').that.includes(scene.contract);
      expect(scene.chain.contractMissing()).to.be.instanceOf(ChainMisfit);
      expect(await mined()).to.equal(0);
    };
    /** The first transaction is sent and recorded. */
    const isSent = async (): Promise<void> => {
      const { raw, hash } = scene.signed({ nonce: 0 });
      expect(await scene.chain.send(raw)).to.deep.equal({ is: 'sent', known: false });
      expect((await minedIn(scene.chain, hash, 1)).logs).to.have.length(1);
      expect(scene.chain.contractMissing()).to.equal(undefined);
    };

    it('sends nothing to a node that is back and has lost everything; tells when the contract is back', async () => {
      await scene.node.kill('SIGKILL');
      await scene.node.restart();
      // A connection may still be opened.
      const answer = await eventually(
        () => sent().catch(() => undefined),
        SOON_MS,
        () => 'it is not asked',
      );
      await isUnsent(answer);
      await toldAgain(0);
      const before = told;
      await deployTimestamper(scene.node.url);
      await toldAgain(before);
      await isSent();
    });

    it('sends nothing from the moment in which a chain that began anew is noticed', async () => {
      const first = new Promise<Sent>((resolve, reject) => {
        scene.chain.onReorganisation(() => void sent().then(resolve, reject));
      });
      await scene.node.rpc('anvil_reset', []);
      await isUnsent(await first);
    });

    it('sends nothing once it is known to be gone, and looks for it until it is back', async () => {
      const code = await scene.node.rpc('eth_getCode', [scene.contract, 'latest']);
      let changes = 0;
      scene.chain.onContract(() => (changes += 1));
      await scene.node.rpc('anvil_setCode', [scene.contract, '0x']);
      await scene.chain.checkContract();
      await isUnsent(await sent());
      expect([told, changes]).to.deep.equal([0, 1]);
      await scene.node.rpc('anvil_setCode', [scene.contract, code]);
      await toldAgain(0);
      expect(changes).to.equal(2);
      await isSent();
    });
  });
}
