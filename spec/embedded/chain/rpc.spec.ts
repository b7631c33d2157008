import { expect } from 'chai';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startChainNode } from '../../../src/embedded/chain/node.js';
import { callNode, dumpAtOneBlock, type NodeCall } from '../../../src/embedded/chain/rpc.js';
import type { Hex } from '../../../src/system/chain-bytes.js';
import { addressOf, signTransaction } from '../../../src/wallets/transaction-bytes.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { type Anvil, startAnvil } from '../../servers/chain.js';

const SENDERS = 8;
const DUMPS = 30;
const TO: Hex = `0x${'11'.repeat(20)}`;

/** Parts of a dump that show whether it is consistent. */
interface Dump {
  readonly accounts: Record<string, { readonly nonce: number }>;
  readonly blocks: { readonly transactions: unknown[] }[];
  readonly transactions: unknown[];
}

describe('state of the embedded chain', () => {
  let node: Anvil;
  let ask: NodeCall;

  before(async () => {
    node = await startAnvil();
    ask = (method, params) => node.rpc(method, params);
  });
  after(() => node.stop());

  /** Sends a transaction without effect. */
  function signed(key: Buffer, nonce: number): Hex {
    const fields = { from: addressOf(key), to: TO, data: '0x' as const, nonce, gasPrice: 0n };
    return signTransaction({ ...fields, gasLimit: 21_000n, chainId: 1337 }, key).raw;
  }

  /** Sends one transaction after the other until told to stop. Returns their number. */
  async function send(key: Buffer, isOver: () => boolean): Promise<number> {
    let nonce = 0;
    for (; !isOver(); nonce += 1) await ask('eth_sendRawTransaction', [signed(key, nonce)]);
    return nonce;
  }

  it('is that of one block under load, and transactions sent during the dump are mined soon after', async () => {
    const keys = Array.from({ length: SENDERS }, (_, n) => Buffer.alloc(32, n + 1));
    let over = false;
    const sending = Promise.all(keys.map((key) => send(key, () => over)));
    const dumps: string[] = [];
    while (dumps.length < DUMPS) {
      await ask('anvil_setAutomine', [false]);
      dumps.push((await dumpAtOneBlock(ask)).state);
      await ask('anvil_setAutomine', [true]);
    }
    over = true;
    const sent = await sending;
    for (const dumped of dumps) {
      const state = JSON.parse(gunzipSync(Buffer.from(dumped.slice(2), 'hex')).toString()) as Dump;
      const nonces = Object.values(state.accounts).reduce((sum, { nonce }) => sum + nonce, 0);
      const inBlocks = state.blocks.reduce((sum, { transactions }) => sum + transactions.length, 0);
      expect({ nonces, inBlocks }).to.deep.equal({
        nonces: state.transactions.length,
        inBlocks: state.transactions.length,
      });
    }
    const count = (key: Buffer) => ask('eth_getTransactionCount', [addressOf(key), 'latest']);
    await eventually(
      async () => String((await Promise.all(keys.map(count))).map(Number)) === String(sent) || undefined,
      SOON_MS,
      () => 'what was sent is not in blocks',
    );
  });

  it('is saved while a client mines by hand, which stays that way', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chain-dump-'));
    const kept = await startChainNode({ folder, log: () => undefined });
    const callKept: NodeCall = (method, params) =>
      callNode(Number(new URL(kept.url).port), method, params, 10_000);
    try {
      await callKept('anvil_setAutomine', [false]);
      await callKept('eth_sendRawTransaction', [signed(Buffer.alloc(32, 1), 0)]);
      await callKept('evm_mine', []);
      await eventually(
        async () => {
          const { transactions } = JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')) as Dump;
          return transactions.length === 1 || undefined;
        },
        SOON_MS,
        () => 'not saved',
      );
      expect(await callKept('anvil_getAutomine', [])).to.equal(false);
    } finally {
      await kept.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
