import { expect } from 'chai';
import { openChain } from '../../src/chain/open.js';
import type { Chain, Hex, Sent } from '../../src/chain/port.js';
import type { UnsignedTransaction } from '../../src/wallets/port.js';
import { addressOf, signTransaction } from '../../src/wallets/transaction-bytes.js';
import { deployOn } from '../e2e/ledger/geth/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { FUNDED } from '../servers/chain.js';
import { type Geth, specGeth } from '../servers/geth.js';

const GWEI = 1_000_000_000n;
const KEY = Buffer.from(FUNDED.key.slice(2), 'hex');
const POOR = Buffer.alloc(32, 0x11);
const FEES = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 2n * GWEI };

const SENT = { is: 'sent', known: false };
const unknown = (why: string): object => ({ is: 'unknown', why });
const refused = (reason: string): object => ({ is: 'refused', reason });

/** A transaction with some members of its own. */
type Some = Readonly<Record<string, bigint | number | string>>;

/** What go-ethereum answers while it has a transaction with the nonce, and what it means. */
const ANSWERS: readonly (readonly [what: string, transaction: Some, meaning: object])[] = [
  ['the same again', {}, { is: 'sent', known: true }],
  ['5 % more', { maxFeePerGas: 21n * GWEI, maxPriorityFeePerGas: (21n * GWEI) / 10n }, unknown('replaced')],
  ['a higher maximum fee alone', { maxFeePerGas: 40n * GWEI }, unknown('replaced')],
  ['a higher priority fee alone', { maxPriorityFeePerGas: 4n * GWEI }, unknown('replaced')],
  ['no priority fee', { maxPriorityFeePerGas: 0n }, unknown('price')],
  ['too little gas', { gasLimit: 20_000n }, refused('gas')],
  ['too little gas for its data', { gasLimit: 30_000n, data: `0x${'11'.repeat(500)}` }, refused('gas')],
  ['more gas than a block has', { gasLimit: 15_000_000n }, refused('gas-limit')],
  ['more gas than a transaction may have', { gasLimit: 16_777_217n }, refused('gas-limit')],
  ['another chain', { chainId: 5 }, refused('chain-id')],
  ['12.5 % more', { maxFeePerGas: 22_500_000_000n, maxPriorityFeePerGas: 2_250_000_000n }, SENT],
];

describe('go-ethereum', () => {
  const startGeth = specGeth();
  let geth: Geth;
  let contract: Hex;
  let chain: Chain | undefined;
  before(async () => {
    // Blocks are rare: a transaction stays in the pool.
    geth = await startGeth(['--dev.period', '3']);
    contract = await deployOn(geth);
  });
  afterEach(() => chain?.close());

  const signed = (nonce: number, more: Some = {}, key = KEY): Hex => {
    const to = `0x${'77'.repeat(20)}`;
    const from = addressOf(key);
    const call = { from, to, data: '0x', gasLimit: 21_000n, chainId: 1337, nonce, ...FEES };
    return signTransaction({ ...call, ...more } as UnsignedTransaction, key).raw;
  };

  const open = (url: string): Promise<Chain> =>
    openChain({ url, contract, gasPriceFactor: 1.2, gasLimit: undefined, finality: 12, now: Date.now });

  for (const wire of ['url', 'wsUrl'] as const) {
    it(`answers what the service knows the meaning of (${wire})`, async () => {
      const node = (chain = await open(geth[wire]));
      const answersTo = async (nonce: number): Promise<Sent[]> => {
        const first = await node.send(signed(nonce));
        const others: Sent[] = [];
        for (const [, more] of ANSWERS) others.push(await node.send(signed(nonce, more)));
        return [first, ...others];
      };
      const used = () => node.nextNonce(FUNDED.address, 'latest');
      const inTime = async () => {
        const nonce = await node.nextNonce(FUNDED.address, 'pending');
        if ((await used()) !== nonce) return undefined;
        const answers = await answersTo(nonce);
        // A block that came meanwhile has used the nonce.
        return (await used()) === nonce ? answers : undefined;
      };
      const [first, ...others] = await eventually(inTime, SOON_MS, () => 'blocks come too often');
      expect(first).to.deep.equal(SENT);
      for (const [i, [what, , meaning]] of ANSWERS.entries()) expect(others[i], what).to.include(meaning);
      // The deployment has used the first one.
      expect(await node.send(signed(0))).to.include({ is: 'nonce-used' });
      expect(await node.send(signed(0, {}, POOR))).to.include({ is: 'refused', reason: 'funds' });
    });
  }
});
