import type { Actors } from '../../actors/kind.js';
import type { Chain } from '../../chain/port.js';
import { isOn } from '../../chain/late-chain.js';
import type { Address } from '../../store/port.js';
import type { SigningResult } from '../../wallets/port.js';
import { keyAddress, transactionAddress } from '../addresses.js';
import type { KeyEvent } from '../idempotency/key-machine.js';
import type { BlockWatch } from '../blocks/block-kind.js';
import type { Indexer } from '../index/indexer.js';
import type { Broadcast } from './broadcast.js';
import type { Replace } from './replacement.js';
import type { Submission, Submissions } from './submissions.js';
import type { MinedTransaction, SignedTransaction } from '../signed-transaction.js';
import { settledInTime } from '../../system/in-time.js';
import { cachedValue } from '../../system/ttl-cache.js';
import { faultOf } from '../verify/judge.js';
import type { TransactionContext, TransactionEvent } from './transaction-machine.js';

export interface PipelineOptions {
  readonly chain: Pick<Chain, 'name' | 'checkContract'>;
  readonly broadcast: Pick<Broadcast, 'start' | 'cancel'>;
  readonly submissions: Pick<Submissions, 'submit' | 'find' | 'end' | 'answer'>;
  /** Adds a transaction that is in a block to its entities. */
  readonly indexer: Pick<Indexer, 'index'>;
  readonly blockWatch: Pick<BlockWatch, 'watch'>;
  /** Puts the receipt of a transaction into a broker; resolves when that is durable. */
  readonly mirror: (transaction: MinedTransaction) => Promise<void>;
  readonly replace: Replace;
  /** Called with each transaction that is in a block. */
  readonly onMined?: ((transaction: MinedTransaction) => void) | undefined;
  readonly now: () => number;
}

/**
 * The steps of a transaction after its account has committed it: sent, in a block, listed, answered. The outbox of
 * the account stores the transaction for `PROMPT_MS`. Then an actor of its own stores it.
 */
export type Pipeline = ReturnType<typeof createPipeline>;

/** A transaction in these steps. `address` is that of its actor, whose tenant is the chain's name. */
interface Carried {
  readonly actors: Actors;
  readonly address: Address;
  readonly signed: SignedTransaction;
}

/** Time for which the contract is checked only once, even if many receipts lack its event, ms. */
const CHECK_MS = 1_000;
/** Time for which an account stores a transaction that is not in a block, ms. */
const PROMPT_MS = 1_000;
/**
 * Maximum number of transactions that accounts store at a time, and of their characters. They are limited because
 * each commit writes the whole document of an account.
 */
const MAX_STORED = 512;
const MAX_CHARACTERS = 1_000_000;

/** Makes the pipeline of a node. */
export function createPipeline(options: PipelineOptions) {
  const { chain, broadcast, submissions, indexer, blockWatch, mirror, replace, onMined, now } = options;
  const contractCheck = cachedValue({ ttlMs: CHECK_MS, now, load: () => chain.checkContract() });
  /** Transactions that accounts store beyond their submission, and their characters. */
  let stored = 0;
  let characters = 0;

  /** Returns the mined transaction, if it is in a block while the account stores it. */
  const promptly = async ({ pending }: Submission, length: number) => {
    if (stored >= MAX_STORED || characters + length > MAX_CHARACTERS) return undefined;
    stored += 1;
    characters += length;
    try {
      const outcome = await settledInTime(pending.outcome, PROMPT_MS);
      return outcome?.is === 'mined' ? outcome.transaction : undefined;
    } finally {
      stored -= 1;
      characters -= length;
    }
  };

  const bindKey = async ({ actors, address, signed }: Carried): Promise<void> => {
    const { claim, hash, operation } = signed;
    if (claim === undefined) return;
    const event: KeyEvent = { type: 'signed', now: now(), claim: claim.id, chain: address.tenant, hash };
    await actors.ask(keyAddress(operation.account, claim.key), event);
  };

  const submit = ({ actors, address, signed }: Carried, maybeBroadcast: boolean) => {
    const event: TransactionEvent = { type: 'submit', now: now(), signed, maybeBroadcast };
    return actors.ask<void>(address, event);
  };

  const start = (
    { actors, address, signed }: Carried,
    maybeBroadcast: boolean,
    replacements: readonly SigningResult[],
  ) =>
    submissions.submit(signed.hash, () =>
      broadcast.start(signed, { maybeBroadcast, replacements, replace: replace(actors, address, signed) }),
    );

  /** Adds a transaction to its entities, watches its block and mirrors its receipt. Safe to repeat. */
  const list = async ({ actors, address: { tenant } }: Carried, transaction: MinedTransaction) => {
    const { signed, receipt } = transaction;
    onMined?.(transaction);
    const [listed] = await Promise.all([
      indexer.index(actors, tenant, transaction),
      blockWatch.watch(actors, tenant, receipt, signed.hash),
      mirror(transaction),
    ]);
    return listed;
  };

  /**
   * In a block → listed → answered. If no account stores the transaction, it is listed before it counts as recorded,
   * because a transaction with a known receipt must also be in the lists.
   */
  const record = async (
    carried: Carried,
    transaction: MinedTransaction,
    keeper: 'account' | 'transaction',
  ): Promise<void> => {
    const { signed, receipt } = transaction;
    // A call of an address without code succeeds: the contract may be gone.
    if (receipt.status === '0x1' && faultOf(transaction) !== undefined) void contractCheck.get();
    const listing = list(carried, transaction);
    if (keeper === 'transaction') await (await listing).indexed;
    const mined: TransactionEvent = { type: 'mined', now: now(), receipt };
    const [{ indexed }] = await Promise.all([
      listing,
      keeper === 'account' ? submit(carried, true) : undefined,
      carried.actors.ask(carried.address, mined),
    ]);
    submissions.answer(signed.hash, { is: 'mined', transaction });
    await indexed;
  };

  /** Gives the transaction an actor of its own. The actor may have a receipt that was not listed before a crash. */
  const dispatch = async (carried: Carried, maybeBroadcast: boolean): Promise<void> => {
    const { actors, address, signed } = carried;
    await submit(carried, maybeBroadcast);
    const receipt = (await actors.read<TransactionContext>(address))?.context.receipt;
    if (receipt === undefined) return;
    const transaction = { signed, receipt };
    const { indexed } = await list(carried, transaction);
    submissions.answer(signed.hash, { is: 'mined', transaction });
    await indexed;
  };

  const carryFirst = async (carried: Carried, length: number): Promise<void> => {
    const { actors, address, signed } = carried;
    const submission = start(carried, false, []);
    const drop = (): void => {
      // Another node of the service submits the transaction, or has recorded it.
      if (submission.submitted) return;
      broadcast.cancel(submission.pending);
      submissions.end(signed.hash, submission);
    };
    try {
      const [mined] = await Promise.all([promptly(submission, length), bindKey(carried)]);
      if (mined === undefined) {
        await dispatch(carried, submission.pending.maybeBroadcast);
        return drop();
      }
      await record(carried, mined, 'account');
      if (submission.receiptInDoubt) {
        await actors.ask(address, { type: 'recheck', now: now() } satisfies TransactionEvent);
      }
      submissions.end(signed.hash, submission);
    } catch (error) {
      // The account still stores the transaction. Another node may submit it by now.
      drop();
      throw error;
    }
  };

  return {
    /**
     * Performs the steps of a transaction that its account has committed. Resolves when the account can delete it:
     * the transaction is recorded and listed, or an actor of its own stores it. `first` is false if an earlier run
     * may have submitted it.
     */
    async carry(actors: Actors, name: string, signed: SignedTransaction, length: number, first: boolean) {
      const carried = { actors, address: transactionAddress(name, signed.hash), signed };
      if (first && isOn(chain, name)) return carryFirst(carried, length);
      await bindKey(carried);
      return dispatch(carried, true);
    },

    /**
     * Performs the steps of a transaction that an actor of its own stores. After a refusal, resolves with the event
     * for this actor.
     */
    async carryOn(
      actors: Actors,
      address: Address,
      { signed, maybeBroadcast, replacements }: TransactionContext,
    ): Promise<TransactionEvent | undefined> {
      requireChain(chain, address);
      const { hash } = signed!;
      if (submissions.find(hash) === undefined && !maybeBroadcast) {
        // Another run may have submitted, on another node or before a crash: no refusal is final from now on.
        const event: TransactionEvent = { type: 'maybeBroadcast', now: now() };
        // If that run has ended, the nonce and the key may belong to another transaction: nothing is sent any more.
        if (!(await actors.ask<boolean>(address, event))) return undefined;
      }
      const carried = { actors, address, signed: signed! };
      const submission = start(carried, true, replacements);
      submission.submitted = true;
      try {
        const { pending } = submission;
        const outcome = await pending.outcome;
        if (outcome.is === 'refused') {
          const { reason, detail } = outcome;
          return { type: 'refused', now: now(), reason, detail, known: pending.signatures.length - 1 };
        }
        await record(carried, outcome.transaction, 'transaction');
        return undefined;
      } finally {
        submissions.end(hash, submission);
      }
    },
  };
}

function requireChain(chain: Pick<Chain, 'name'>, address: Address): void {
  if (address.tenant === chain.name) return;
  throw new Error(`CHAIN_RPC_URL leads to chain ${chain.name}; a transaction waits for ${address.tenant}`);
}
