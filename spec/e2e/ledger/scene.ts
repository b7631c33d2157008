import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import type { Hex } from '../../../src/chain/port.js';
import { TIMESTAMPER_BYTECODE } from '../../../src/chain/timestamper.js';
import { type Anvil, FUNDED, startAnvil } from '../../servers/chain.js';
import { type ApiAnswer, request } from '../api-client.js';
import { type RunningService, runService } from '../running-service.js';

export const ENTITIES = '/ngsi-ld/v1/entities/';
export const UPSERT = '/ngsi-ld/v1/entityOperations/upsert';
/** Token of the development wallet in these specs. */
const WALLET_TOKEN = 'spec-wallet-token';

type Settings = Readonly<Record<string, string>>;

/** A receipt as it is answered. */
export interface Receipt {
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: number;
  readonly from: Hex;
  readonly status: string;
  readonly statusOK: boolean;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[] }[];
  readonly additionalInformation: {
    readonly operation: string;
    readonly hash: Hex;
    readonly assetId: Hex;
    readonly entities?: readonly { readonly entityId: string; readonly hash: Hex; readonly proof: Hex[] }[];
    readonly [member: string]: unknown;
  };
}

/** An account, and the headers of who has it sign. */
export interface Signer {
  readonly address: Hex;
  readonly headers: Readonly<Record<string, string>>;
}

/** A client of a service's ledger. */
export interface LedgerClient {
  readonly url: string;
  /** One request, as in `POST /entity`. */
  ask(asked: string, body?: unknown, headers?: Settings): Promise<ApiAnswer>;
  /** Makes an account in the development wallet. */
  account(name?: string): Promise<Signer>;
  /** How many entities have transactions (L6). */
  count(headers?: Settings): Promise<number>;
  /** The receipts of an entity (L7). */
  trace(entityId: string, headers?: Settings): Promise<readonly Receipt[]>;
}

/** A service with its ledger, and the chain that it is on. */
export interface LedgerService extends LedgerClient {
  readonly running: RunningService;
  readonly anvil: Anvil;
  readonly contract: Hex;
  /** The account's transactions that are in blocks. */
  nonceOf(account: Hex): Promise<number>;
  close(): Promise<void>;
}

/** Starts a node with `args`, the contract on it, and a service with `settings` over those that lead there. */
export async function openLedger(
  settings: Settings = {},
  args?: readonly string[],
  now?: () => number,
): Promise<LedgerService> {
  const anvil = await startAnvil(args);
  try {
    const contract = args === undefined ? await deployTimestamper(anvil.url) : await deployed(anvil);
    const running = await runService({ ...settingsFor(anvil.url, contract), ...settings }, now);
    return {
      ...ledgerClient(running.url),
      running,
      anvil,
      contract,
      nonceOf: async (account) => Number(await anvil.rpc('eth_getTransactionCount', [account, 'latest'])),
      async close() {
        await running.close();
        await anvil.stop();
      },
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** The settings of a service with a ledger on a chain. */
export function settingsFor(url: string, contract: string): Record<string, string> {
  return { LEDGER: 'on', CHAIN_RPC_URL: url, CHAIN_CONTRACT: contract, WALLET_DEV_TOKEN: WALLET_TOKEN };
}

/** One ledger for all specs of a `describe`: each has entities and accounts of its own. */
export function sharedLedger(
  settings: Settings = {},
  args?: readonly string[],
  now?: () => number,
): () => LedgerService {
  let ledger: LedgerService | undefined;
  before(async () => {
    ledger = await openLedger(settings, args, now);
  });
  after(() => ledger?.close());
  return () => ledger!;
}

/** A client of the ledger at a service's address. */
export function ledgerClient(url: string): LedgerClient {
  const ask: LedgerClient['ask'] = (asked, body, headers) => {
    const [method = '', path = ''] = asked.split(' ');
    return request(url + path, method, body, headers);
  };
  return {
    url,
    ask,
    async account(name = `spec-${randomUUID()}`) {
      const wallet = `${url}/vault/v1/ethereum/accounts/${name}`;
      const { body } = await request(wallet, 'POST', undefined, { 'x-vault-token': WALLET_TOKEN });
      const { address } = body['data'] as unknown as { address: string };
      return { address: address.toLowerCase() as Hex, headers: walletHeaders(wallet, WALLET_TOKEN) };
    },
    async count(headers) {
      const { body } = await ask('GET /entity?limit=1&offset=1000000', undefined, headers);
      return body['count']!;
    },
    async trace(entityId, headers) {
      const answer = await ask(`GET /entity/${encodeURIComponent(entityId)}`, undefined, headers);
      if (answer.status === 404) return [];
      expect(answer.status, answer.text).to.equal(200);
      return (answer.body as unknown as { txDetails: Receipt[] }).txDetails;
    },
  };
}

/** The headers that name a wallet (ledger §5), as clients of the original write them. */
export function walletHeaders(address: string, token: string): Record<string, string> {
  return { 'Wallet-Type': 'Vault', 'Wallet-Address': address, 'Wallet-Token': token };
}

/** The receipt in an answer; fails with the answer's text where it is none. */
export function receiptIn(answer: ApiAnswer): Receipt {
  expect(answer.status, answer.text).to.equal(200);
  return answer.body as unknown as Receipt;
}

/** An id that nothing else has. */
export function anyId(kind = 'Building'): string {
  return `urn:ngsi-ld:${kind}:${randomUUID()}`;
}

/** A small entity. */
export function building(id = anyId(), name = 'The big red barn') {
  return { id, type: 'Building', name: { type: 'Property', value: name } };
}

/** A notification as NGSI-LD brokers send it, with these members more. */
export function notification(data: readonly object[], more: object = {}): object {
  return {
    id: anyId('Notification'),
    type: 'Notification',
    subscriptionId: 'urn:ngsi-ld:Subscription:buildings',
    notifiedAt: '2026-11-21T10:00:00.000Z',
    data,
    ...more,
  };
}

/** Gives an account one ether on a chain of anvil. */
export function fund(anvil: Anvil, address: Hex): Promise<unknown> {
  return anvil.rpc('anvil_setBalance', [address, '0xde0b6b3a7640000']);
}

/** The contract, put there by an account that has funds: on chains with a price as well. */
export async function deployed(anvil: Anvil, bytecode: string = TIMESTAMPER_BYTECODE): Promise<Hex> {
  // With its price said, it is a transaction that every chain takes.
  const gasPrice = await anvil.rpc('eth_gasPrice');
  const transaction = { from: FUNDED.address, data: bytecode, gas: '0x30d40', gasPrice };
  const hash = await anvil.rpc('eth_sendTransaction', [transaction]);
  await anvil.rpc('evm_mine').catch(() => undefined);
  const receipt = await anvil.rpc('eth_getTransactionReceipt', [hash]);
  return (receipt as { contractAddress: Hex }).contractAddress;
}
