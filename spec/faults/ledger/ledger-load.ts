import { setTimeout as pause } from 'node:timers/promises';
import type { Hex } from '../../../src/chain/port.js';
import { request } from '../../e2e/api-client.js';
import { eventually } from '../stage/eventually.js';
import { ask, type Asked, audit, listed, rpc } from './ledger-books.js';

/** Token of the development wallet. */
export const WALLET_TOKEN = 'spec-token';

/** Operations of the ledger by three wallets, every second one with an Idempotency-Key. */
export interface LedgerLoad {
  /** Sends operations to one node at a time until `stop`. Resolves once no operation is under way. */
  run(clients: number, pauseMs?: number): Promise<void>;
  stop(): void;
  /** Sends interrupted operations with a key again, and compares all with the chain, see `audit`. */
  audit(
    withinMs: number,
  ): Promise<{ readonly operations: number; readonly answered: number; readonly transactions: number }>;
}

/** Creates the wallets. `urls` returns the addresses of the nodes: client n asks the one at n, modulo their number. */
export async function ledgerLoad(urls: () => readonly string[], chainUrl: string): Promise<LedgerLoad> {
  const accounts: Hex[] = [];
  for (const name of ['a', 'b', 'c']) {
    const address = `${urls()[0]!}/vault/v1/ethereum/accounts/${name}`;
    const { body } = await request(address, 'POST', {}, { 'x-vault-token': WALLET_TOKEN });
    accounts.push((body as unknown as { data: { address: Hex } }).data.address.toLowerCase() as Hex);
  }
  const all: Asked[] = [];
  const load = { runs: true };

  /** Returns a wallet at the requested node: another node may be down. */
  const named = (url: string, n: number): Record<string, string> => ({
    'wallet-type': 'vault',
    'wallet-token': WALLET_TOKEN,
    'wallet-address': `${url}/vault/v1/ethereum/accounts/${'abc'[n % 3]!}`,
  });
  const send = async (client: number): Promise<void> => {
    const n = all.length;
    const entityId = `urn:ngsi-ld:Car:${n}`;
    const body = { id: entityId, type: 'Car', speed: { type: 'Property', value: n } };
    const key = n % 2 === 0 ? `key-${n}` : undefined;
    const url = urls()[client % urls().length]!;
    const asked: Asked = { entityId, body, key, wallet: named(url, n), transactionHash: undefined };
    all.push(asked);
    await ask(url, asked);
  };
  const sendAgain = async (asked: Asked, withinMs: number): Promise<void> => {
    const url = urls()[0]!;
    const again = { ...asked, wallet: named(url, all.indexOf(asked)) };
    let last = { status: 0, text: '' };
    await eventually(
      async () => ((last = await ask(url, again)).status === 200 ? true : undefined),
      withinMs,
      () => `${asked.entityId} was not recorded: ${last.status} ${last.text}`,
    );
    asked.transactionHash = again.transactionHash;
  };

  return {
    async run(clients, pauseMs = 0) {
      load.runs = true;
      const client = async (at: number): Promise<void> => {
        while (load.runs) {
          await send(at);
          if (pauseMs > 0) await pause(pauseMs);
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, at) => client(at)));
    },
    stop() {
      load.runs = false;
    },
    async audit(withinMs) {
      const url = urls()[0]!;
      const open = all.filter(
        ({ key, transactionHash }) => key !== undefined && transactionHash === undefined,
      );
      await Promise.all(open.map((asked) => sendAgain(asked, withinMs)));
      // An interrupted operation without a key may still be in flight.
      let counts = { mined: 0, recorded: 0 };
      await eventually(
        async () => {
          const used = await Promise.all(
            accounts.map((account) => rpc(chainUrl, 'eth_getTransactionCount', [account, 'latest'])),
          );
          counts = { mined: used.reduce<number>((sum, count) => sum + Number(count), 0), recorded: 0 };
          for (const { entityId } of all) counts.recorded += (await listed(url, entityId)).length;
          return counts.recorded === counts.mined ? true : undefined;
        },
        withinMs,
        () => `the list has ${counts.recorded} transactions, the chain ${counts.mined}`,
      );
      return { operations: all.length, ...(await audit(url, chainUrl, all, accounts)) };
    },
  };
}
