import type { Actors } from '../../actors/runtime.js';
import type { Chain } from '../../chain/port.js';
import type { Address } from '../../store/port.js';
import { keyAddress, transactionAddress } from '../addresses.js';
import { isOn } from '../blocks/is-on.js';
import type { KeyEvent } from '../idempotency/key-machine.js';
import type { Broadcast } from './broadcast.js';
import type { Replace } from './replacement.js';
import type { Submissions, Run } from './submissions.js';
import type { List } from './list-transaction.js';
import type { MinedTransaction, SignedTransaction } from '../signed-transaction.js';
import { cachedValue } from '../../system/ttl-cache.js';
import { faultOf } from '../verify/judge.js';
import type { TransactionContext, TransactionEvent } from './transaction-machine.js';

export interface PipelineOptions {
  readonly chain: Pick<Chain, 'name' | 'checkContract'>;
  readonly broadcast: Pick<Broadcast, 'start'>;
  readonly submissions: Submissions;
  readonly list: List;
  readonly replace: Replace;
  readonly now: () => number;
}

/**
 * The way of a transaction once its account has committed it: sent, in a block, listed, answered. The outbox of the
 * account remembers the transaction for `PROMPT_MS`, an actor of its own from then on.
 */
export interface Pipeline {
  /**
   * Carries a transaction that its account has committed. Resolves when the account can forget it: it is recorded and
   * listed, or an actor of its own remembers it. `first` is false if another run may have submitted before.
   */
  carry(
    actors: Actors,
    chain: string,
    signed: SignedTransaction,
    length: number,
    first: boolean,
  ): Promise<void>;
  /** Carries a transaction that an actor of its own remembers. Resolves with the actor's event of a refusal. */
  carryOn(
    actors: Actors,
    address: Address,
    context: TransactionContext,
  ): Promise<TransactionEvent | undefined>;
}

/** Time in which the contract is looked for once, however many receipts lack its event, ms. */
const SUSPICION_MS = 1_000;
/** How long an account remembers a transaction that is in no block, ms. */
const PROMPT_MS = 1_000;
/** Most transactions that accounts remember at a time, and their characters: the document of an account is written whole. */
const MOST = 512;
const MOST_CHARACTERS = 1_000_000;

/** Makes the pipeline of a node. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { chain, broadcast, submissions, list, replace, now } = options;
  const suspicion = cachedValue({ ttlMs: SUSPICION_MS, now, load: () => chain.checkContract() });
  let remembered = 0;
  let characters = 0;

  /** The receipt, if it comes while the account remembers the transaction. */
  const promptly = async ({ broadcasting }: Run, length: number) => {
    if (remembered >= MOST || characters + length > MOST_CHARACTERS) return undefined;
    remembered += 1;
    characters += length;
    try {
      const ended = await within(PROMPT_MS, broadcasting.ended);
      return ended?.is === 'mined' ? ended.receipt : undefined;
    } finally {
      remembered -= 1;
      characters -= length;
    }
  };

  const bindKey = async (actors: Actors, name: string, signed: SignedTransaction): Promise<void> => {
    const { claim, hash, operation } = signed;
    if (claim === undefined) return;
    const event: KeyEvent = { type: 'signed', now: now(), claim: claim.id, chain: name, hash };
    await actors.ask(keyAddress(operation.account, claim.key), event);
  };

  const submit = (actors: Actors, address: Address, signed: SignedTransaction, maybeBroadcast: boolean) => {
    const event: TransactionEvent = { type: 'submit', now: now(), signed, maybeBroadcast };
    return actors.ask<void>(address, event);
  };

  /**
   * In a block → listed → answered. A transaction that no account remembers is listed before it counts as recorded: a
   * transaction whose receipt is known must also be in the lists.
   */
  const record = async (
    actors: Actors,
    address: Address,
    transaction: MinedTransaction,
    keeper: 'account' | 'transaction',
  ): Promise<void> => {
    const { signed, receipt } = transaction;
    // A call of an address without code succeeds: the contract may be gone.
    if (receipt.status === '0x1' && faultOf(transaction) !== undefined) void suspicion.get();
    const listing = list(actors, address.tenant, transaction);
    if (keeper === 'transaction') await (await listing).indexed;
    const mined: TransactionEvent = { type: 'mined', now: now(), receipt };
    const [{ indexed }] = await Promise.all([
      listing,
      keeper === 'account' ? submit(actors, address, signed, true) : undefined,
      actors.ask(address, mined),
    ]);
    submissions.answer(signed.hash, { is: 'recorded', transaction });
    await indexed;
  };

  /** Gives the transaction an actor of its own. The actor may have a receipt that was not listed before a crash. */
  const handOver = async (
    actors: Actors,
    address: Address,
    signed: SignedTransaction,
    maybeBroadcast: boolean,
  ) => {
    await submit(actors, address, signed, maybeBroadcast);
    const receipt = (await actors.read<TransactionContext>(address))?.context.receipt;
    if (receipt === undefined) return;
    const transaction = { signed, receipt };
    const { indexed } = await list(actors, address.tenant, transaction);
    submissions.answer(signed.hash, { is: 'recorded', transaction });
    await indexed;
  };

  const drop = (run: Run): void => {
    run.broadcasting.cancel();
    submissions.end(run.signed.hash, run);
  };

  const carryFirst = async (actors: Actors, address: Address, signed: SignedTransaction, length: number) => {
    const run = submissions.run(signed, () =>
      broadcast.start(signed, { maybeBroadcast: false, replace: replace(actors, address, signed) }),
    );
    try {
      const [receipt] = await Promise.all([promptly(run, length), bindKey(actors, address.tenant, signed)]);
      if (receipt === undefined) {
        await handOver(actors, address, signed, run.broadcasting.maybeBroadcast());
        // Its actor would have submitted here: another node of the service carries it, or has recorded it.
        if (!run.submitted) drop(run);
        return;
      }
      await record(actors, address, { signed, receipt }, 'account');
      if (run.receiptInDoubt)
        await actors.ask(address, { type: 'recheck', now: now() } satisfies TransactionEvent);
      submissions.end(signed.hash, run);
    } catch (error) {
      // The account remembers the transaction still. Another node may carry it by now.
      if (!run.submitted) drop(run);
      throw error;
    }
  };

  return {
    async carry(actors, name, signed, length, first) {
      const address = transactionAddress(name, signed.hash);
      if (first && isOn(chain, name)) return carryFirst(actors, address, signed, length);
      await bindKey(actors, name, signed);
      return handOver(actors, address, signed, true);
    },

    async carryOn(actors, address, { signed, maybeBroadcast, replacements }) {
      requireChain(chain, address);
      const { hash } = signed!;
      if (submissions.find(hash) === undefined && !maybeBroadcast) {
        // Another run may have submitted, on another node or before a crash: no refusal is final from now on.
        const event: TransactionEvent = { type: 'maybeBroadcast', now: now() };
        // If that run has ended, the nonce and the key may belong to another transaction: nothing is sent any more.
        if (!(await actors.ask<boolean>(address, event))) return undefined;
      }
      const run = submissions.run(signed!, () =>
        broadcast.start(signed!, {
          maybeBroadcast: true,
          replacements,
          replace: replace(actors, address, signed!),
        }),
      );
      run.submitted = true;
      try {
        const ended = await run.broadcasting.ended;
        if (ended.is === 'refused') {
          const { reason, detail } = ended;
          return { type: 'refused', now: now(), reason, detail, known: run.broadcasting.replacements() };
        }
        await record(actors, address, { signed: signed!, receipt: ended.receipt }, 'transaction');
        return undefined;
      } finally {
        submissions.end(hash, run);
      }
    },
  };
}

function requireChain(chain: Pick<Chain, 'name'>, address: Address): void {
  if (address.tenant === chain.name) return;
  throw new Error(`CHAIN_RPC_URL leads to chain ${chain.name}; a transaction waits for ${address.tenant}`);
}

/** Resolves with undefined if the work takes longer, or fails. */
function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, undefined);
    const end = (value: T | undefined): void => {
      clearTimeout(timer);
      resolve(value);
    };
    work.then(end, () => end(undefined));
  });
}
