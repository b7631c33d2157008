import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type ActorFault, startActors } from '../../src/actors/runtime.js';
import type { Actors } from '../../src/actors/kind.js';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import { type LateChain, openLateChain } from '../../src/chain/late-chain.js';
import { openChain } from '../../src/chain/open.js';
import type { Chain, Hex } from '../../src/chain/port.js';
import { createOperation } from '../../src/ledger/content/operations.js';
import { openLedger, type OpenLedger, type OpenLedgerOptions } from '../../src/ledger/open.js';
import type { Operation } from '../../src/ledger/operation.js';
import type { CallerKey, Ledger } from '../../src/ledger/port.js';
import type { Store } from '../../src/store/port.js';
import { keyWallet } from '../../src/wallets/key-wallet.js';
import type { Wallet } from '../../src/wallets/port.js';
import { freeDeliveries } from '../delivery/queue/free-permits.js';
import { memoryStore } from '../actors/stage/memory-store.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { sharedAnvil } from '../servers/shared-chain.js';

/** One process of the service, as far as its ledger goes, on a real chain. */
export interface LedgerNode extends OpenLedger {
  readonly accept: (operation: Operation) => Promise<string>;
  /** What became of an accepted operation. */
  readonly operation: Ledger['operation'];
  readonly actors: Actors;
  readonly chain: Chain;
  readonly store: Store;
  readonly faults: readonly ActorFault[];
  /** Records an operation and gives the receipt. */
  record(operation: Operation, wallet: Wallet, key?: string | CallerKey): Promise<Receipt>;
  /** All receipts of an entity; undefined where it has none. */
  transactions(entityId: string, page?: object, tenant?: string): Promise<readonly Receipt[] | undefined>;
  /** The entities of a page, by their ids, and how many there are. */
  entities(offset: number, limit: number, tenant?: string): Promise<{ count: number; ids: string[] }>;
  stop(): Promise<void>;
}

export interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly from: Hex;
  readonly statusOK: boolean;
  readonly additionalInformation: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface NodeOptions {
  readonly store?: Store;
  readonly waitMs?: number;
  /** The node's clock, ms since the epoch. */
  readonly now?: () => number;
  readonly confirmations?: number;
  readonly finality?: number;
  readonly finalMs?: number;
  readonly proofs?: 'demand' | 'always';
  readonly onUnproven?: (block: unknown, why: string) => void;
  /** The address of the chain, in place of that of the node. */
  readonly url?: string;
  /** The default account. */
  readonly defaultWallet?: Wallet;
  /** How long Idempotency-Keys and accepted operations are kept, ms. */
  readonly keyTtlMs?: number;
  readonly accepted?: OpenLedgerOptions['settings']['accepted'];
  /** Returns the chain that the node uses in place of its own. */
  readonly watched?: (chain: LateChain) => LateChain;
}

/** A chain that begins anew with each spec, and nodes on it that end with it. */
export function ledgerScene() {
  let contract: Hex;
  const running: LedgerNode[] = [];
  afterEach(() => Promise.all(running.splice(0).map((node) => node.stop())));
  const anvil = sharedAnvil(undefined, async ({ url }) => {
    contract = await deployTimestamper(url);
  });

  return {
    get anvil() {
      return anvil();
    },
    get contract() {
      return contract;
    },
    async node(options: NodeOptions = {}): Promise<LedgerNode> {
      const node = await startNode(options.url ?? anvil().url, contract, options);
      running.push(node);
      return node;
    },
  };
}

async function startNode(url: string, contract: Hex, options: NodeOptions): Promise<LedgerNode> {
  const { store = memoryStore(), waitMs = SOON_MS, confirmations = 1, finality = 12, finalMs } = options;
  const {
    proofs,
    accepted,
    onUnproven,
    watched = (chain) => chain,
    defaultWallet,
    keyTtlMs = 3_600_000,
    now = Date.now,
  } = options;
  const faults: ActorFault[] = [];
  const chain = watched(
    await openLateChain(() =>
      openChain({
        url,
        contract,
        gasPriceFactor: 1.2,
        gasLimit: undefined,
        finality,
        requestTimeoutMs: SOON_MS,
        now,
      }),
    ),
  );
  const open = openLedger({
    store,
    deliveries: freeDeliveries(() => actors),
    chain,
    defaultWallet,
    settings: { confirmations, finality, keyTtlMs, mirrorUrl: undefined, finalMs, proofs, waitMs, accepted },
    now,
    onError: (error) => faults.push({ what: 'effect', error }),
    onHeld: () => undefined,
    onUnproven,
  });
  await open.countPending(0);
  const actors = startActors({
    store,
    kinds: open.kinds,
    now,
    // Another node soon continues the work of a stopped one.
    limits: { retryMs: 1_000, sweepMs: 50 },
    onFault: (fault) => faults.push(fault),
  });
  open.start(actors);
  const ledger = open.ledger(actors);
  return {
    ...open,
    actors,
    chain,
    store,
    faults,
    accept: (operation) => ledger.accept(operation, { wallet: defaultWallet! }),
    operation: (id, tenant) => ledger.operation(id, tenant),
    async record(operation, wallet, key) {
      const named = typeof key === 'string' ? { name: key, content: operation.hash } : key;
      const pieces = await ledger.record(operation, { wallet, key: named, deadline: now() + waitMs });
      return JSON.parse([...pieces].join('')) as Receipt;
    },
    async transactions(entityId, page = {}, tenant) {
      const pieces = await ledger.transactions(entityId, page, tenant);
      if (pieces === undefined) return undefined;
      return (JSON.parse(await joined(pieces)) as { txDetails: Receipt[] }).txDetails;
    },
    async entities(offset, limit, tenant) {
      const text = await joined(await ledger.entities({ offset, limit }, tenant));
      const { count, records } = JSON.parse(text) as { count: number; records: { entityId: string }[] };
      return { count, ids: records.map(({ entityId }) => entityId) };
    },
    async stop() {
      await actors.close();
      await open.close();
      await chain.close();
    },
  };
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

/** An account that nobody else uses. */
export function anyWallet(): Wallet {
  return keyWallet(`0x${randomBytes(32).toString('hex')}`);
}

/** A wallet that signs 100 ms before the deadline of a request, and its node's clock: a slow machine has `waitMs` to sign. */
export function walletAtDeadline(waitMs: number): { readonly wallet: Wallet; readonly now: () => number } {
  const wallet = anyWallet();
  let ahead = 0;
  return {
    wallet: {
      account: () => wallet.account(),
      async sign(transaction) {
        const signed = await wallet.sign(transaction);
        ahead = waitMs - 100;
        return signed;
      },
    },
    now: () => Date.now() + ahead,
  };
}

/** The creation of an entity; `tenant` is the NGSILD-Tenant. */
export function creation(entityId: string, value: unknown = 1, tenant?: string): Operation {
  const body = { id: entityId, type: 'Car', speed: { type: 'Property', value } };
  return createOperation(body, { tenant, link: undefined, ldJson: false });
}

/** Resolves once nothing that was begun on a node is under way any more. */
export function idle(node: LedgerNode): Promise<void> {
  return until(async () => {
    const { commitsPending, effectsRunning } = node.actors.stats();
    expect(commitsPending + effectsRunning).to.equal(0);
  });
}

/** Resolves once a check holds; rejects with what it last threw when it has not in a while. */
export async function until(check: () => Promise<unknown>): Promise<void> {
  let last: unknown;
  const passes = async (): Promise<true | undefined> => {
    try {
      await check();
      return true;
    } catch (error) {
      last = error;
      return undefined;
    }
  };
  await eventually(passes, SOON_MS, () => {
    throw last;
  });
}
