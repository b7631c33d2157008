import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import { FREE_CHAIN } from '../../servers/chain.js';
import { startWeb3Signer, type Web3SignerStandIn } from '../../wallets/web3signer-stand-in.js';
import type { ApiAnswer } from '../api-client.js';
import { expectProblem } from './problem.js';
import { expectProven, openProofs, type ProofScene } from './proof-files/scene.js';
import {
  anyId,
  building,
  ENTITIES,
  fund,
  notification,
  type Receipt,
  receiptIn,
  type Signer,
  UPSERT,
} from './scene.js';

const TOKEN = 's3ntinel-T0ken';

/** The chains, with the type of the transactions that are signed for them. */
const CHAINS = {
  'with a base fee': { args: [], type: '0x2' },
  'without a base fee': { args: FREE_CHAIN, type: '0x0' },
} as const;

for (const [kind, { args, type }] of Object.entries(CHAINS)) {
  describe(`a key in Web3Signer, on a chain ${kind}`, () => {
    let scene: ProofScene;
    let signer: Web3SignerStandIn;
    before(async () => {
      scene = await openProofs({}, args);
      signer = await startWeb3Signer();
    });
    after(async () => {
      await scene?.close();
      await signer?.close();
    });
    beforeEach(() => signer.become({ is: 'honest' }));

    /** Makes a key whose account has funds. */
    async function funded(): Promise<Signer> {
      const { address, headers } = signer.key();
      await fund(scene.anvil, address);
      return { address, headers };
    }

    const create = (headers: Signer['headers'], id = anyId()): Promise<ApiAnswer> =>
      scene.ask(`POST ${ENTITIES}`, building(id), headers);

    const onChain = async ({ transactionHash }: Receipt) =>
      (await scene.anvil.rpc('eth_getTransactionByHash', [transactionHash])) as {
        readonly type: Hex;
        readonly nonce: Hex;
        readonly from: Hex;
      };

    const used = async (account: Hex): Promise<number> =>
      Number(await scene.anvil.rpc('eth_getTransactionCount', [account, 'latest']));

    it('signs L1 to L5 and notifications, named in any letter case, with and without a token', async () => {
      const { address, headers } = await funded();
      const id = anyId();
      const one = `/ngsi-ld/v1/entities/${id}`;
      const asked = [
        ['create', `POST ${ENTITIES}`, building(id)],
        ['query', `GET ${ENTITIES}?type=Building`, undefined],
        ['update', `POST ${one}/attrs`, { n: 1 }],
        ['retrieve', `GET ${one}`, undefined],
        ['upsert', `POST ${UPSERT}`, [building(id), building()]],
        // A notification that comes again is not recorded again.
        ['notify', 'POST /ledger/notify', () => notification([building(id), building()])],
      ] as const;
      let nonce = 0;
      for (const [operation, request, body] of asked) {
        for (const named of ['web3signer', 'Web3Signer', 'WEB3SIGNER']) {
          const sent = {
            ...headers,
            'Wallet-Type': named,
            ...(nonce % 2 === 0 && { 'Wallet-Token': TOKEN }),
          };
          const receipt = receiptIn(
            await scene.ask(request, typeof body === 'function' ? body() : body, sent),
          );
          expect(receipt).to.include({ from: address, statusOK: true });
          expect(receipt.additionalInformation).to.include({ operation });
          expect(await onChain(receipt)).to.include({
            type,
            from: address,
            nonce: `0x${nonce.toString(16)}`,
          });
          nonce += 1;
        }
      }
    });

    it('has its transactions proven by a file', async () => {
      const { headers } = await funded();
      const entity = building();
      const receipt = receiptIn(await create(headers, entity.id));
      await expectProven(scene, receipt, entity.id, entity);
    });

    it('signs one transaction for an Idempotency-Key', async () => {
      const { address, headers } = await funded();
      const id = anyId();
      const keyed = { ...headers, 'Idempotency-Key': anyId() };
      const answers = await Promise.all(Array.from({ length: 10 }, () => create(keyed, id)));
      const [first, ...others] = answers.map(receiptIn);
      for (const other of others) expect(other).to.deep.equal(first);
      expect(await used(address)).to.equal(1);
      expect(await scene.trace(id)).to.deep.equal([first]);
    });

    it('signs many at once, each with a nonce of its own, while some signatures are wrong', async () => {
      const { address, headers } = await funded();
      receiptIn(await create(headers));
      const statuses = await Promise.all(
        Array.from({ length: 40 }, async (_, n) => {
          if (n === 10) signer.become({ is: 'changing', otherKey: true });
          if (n === 25) signer.become({ is: 'honest' });
          return (await create(headers)).status;
        }),
      );
      expect(new Set([...statuses, 200, 502]).size).to.equal(2);
      const last = receiptIn(await create(headers));
      const recorded = statuses.filter((status) => status === 200).length;
      expect(Number((await onChain(last)).nonce)).to.equal(recorded + 1);
      expect(await used(address)).to.equal(recorded + 2);
    });

    it('of another signature, or none, is refused: nothing is sent, and no nonce is used', async () => {
      const { address, headers } = await funded();
      const sent = { ...headers, 'Wallet-Token': TOKEN };
      const before = await scene.anvil.rpc('eth_blockNumber');
      const id = anyId();
      const answering = (status: number) => ({ is: 'answering', status, text: TOKEN }) as const;
      for (const [habit, status, word] of [
        [{ is: 'changing', otherKey: true }, 502, 'another key'],
        [answering(200), 502, 'no signature'],
        [answering(400), 502, 'Web3Signer answered 400'],
        [answering(403), 403, 'proxy before Web3Signer refuses Wallet-Token'],
        [answering(404), 404, 'no key'],
        [answering(500), 502, 'Web3Signer answered 500'],
        [answering(503), 503, 'nothing was done'],
        [{ is: 'closing' }, 503, 'nothing was done'],
      ] as const) {
        signer.become(habit);
        const refused = await create(sent, id);
        expectProblem(refused, status, status === 404 ? 'ResourceNotFound' : 'about:blank', word);
        expect(refused.text).not.to.include(TOKEN);
      }
      expect(await scene.trace(id)).to.deep.equal([]);
      expect(await scene.anvil.rpc('eth_blockNumber')).to.equal(before);
      signer.become({ is: 'honest' });
      expect(await onChain(receiptIn(await create(sent, id)))).to.include({ nonce: '0x0', from: address });
    });

    it('is not named by half: Wallet-Address is needed, and no token', async () => {
      const { headers } = await funded();
      const half = { 'Wallet-Type': headers['Wallet-Type']! };
      for (const sent of [half, { ...half, 'Wallet-Token': TOKEN }]) {
        const refused = await scene.ask(`POST ${ENTITIES}`, building(), sent);
        expectProblem(refused, 400, 'BadRequestData', 'Wallet-Address missing', 'web3signer');
        expect(refused.text).not.to.include(TOKEN);
      }
    });

    it('leaves its token in no log and no file', async () => {
      const { headers } = await funded();
      receiptIn(await create({ ...headers, 'Wallet-Token': TOKEN }));
      expect(signer.requests.some(({ headers: sent }) => sent.authorization === `Bearer ${TOKEN}`)).to.equal(
        true,
      );
      expect(scene.running.logged.join('')).not.to.include(TOKEN);
      const folder = scene.settings['DATA_DIR']!;
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      const stored = files.filter((entry) => entry.isFile());
      expect(stored).to.not.deep.equal([]);
      for (const { parentPath, name } of stored) {
        expect((await readFile(join(parentPath, name))).includes(TOKEN), name).to.equal(false);
      }
    });
  });
}
