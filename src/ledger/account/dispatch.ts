import type { EffectRun } from '../../actors/kind.js';
import type { Actors } from '../../actors/runtime.js';
import type { Chain, ChainReceipt } from '../../chain/port.js';
import type { Address } from '../../store/port.js';
import { keyAddress, transactionAddress } from '../addresses.js';
import type { BatchPages } from '../index/batch-pages.js';
import { isOn } from '../blocks/is-on.js';
import type { KeyEvent } from '../idempotency/key-machine.js';
import type { Recorder } from '../transaction/recorder.js';
import type { SignedOperation } from '../transaction/signed-operation.js';
import type {
  RecordedTransaction,
  TransactionContext,
  TransactionEvent,
} from '../transaction/transaction-machine.js';
import type { InFlight } from '../transaction/in-flight.js';
import { dispatchEffectText } from './account-machine.js';
import type { DispatchEffect, AccountContext, AccountEvent } from './account-machine.js';
import type { BlockWatch } from '../blocks/block-watch.js';

export interface DispatchOptions {
  readonly chain: Pick<Chain, 'name'>;
  readonly batchPages: Pick<BatchPages, 'keep'>;
  readonly inFlight: InFlight;
  readonly recorder: Recorder;
  readonly blockWatch: Pick<BlockWatch, 'reorganisations'>;
  readonly now: () => number;
}

/** How long a transaction stays with its wallet to be put into a block, ms. */
const PROMPT_MS = 1_000;
/** Most that stay, and their characters: a wallet's document is written as a whole. */
const MOST = 512;
const MOST_CHARACTERS = 1_000_000;

/**
 * The effect of a wallet that sends a signed transaction and hands it over to an actor of its own: with its receipt
 * where that comes promptly, so that the actor is written once, and else to be sent and waited for there. The wallet
 * forgets it when it is recorded and listed, or its actor sees to that; its Idempotency-Key knows it before.
 */
export function dispatch(options: DispatchOptions) {
  const { chain, batchPages, inFlight, recorder, blockWatch, now } = options;
  let staying = 0;
  let characters = 0;

  const prompt = async (entry: DispatchEffect): Promise<ChainReceipt | undefined> => {
    const { length } = dispatchEffectText(entry);
    const sending = inFlight.start(entry.transaction);
    if (staying >= MOST || characters + length > MOST_CHARACTERS) return undefined;
    staying += 1;
    characters += length;
    try {
      const sent = await within(PROMPT_MS, sending);
      return sent?.is === 'mined' ? sent.receipt : undefined;
    } finally {
      staying -= 1;
      characters -= length;
    }
  };

  const tellKey = async (
    actors: Actors,
    name: string,
    { claim, hash, operation }: SignedOperation,
  ): Promise<void> => {
    if (claim === undefined) return;
    const signed: KeyEvent = { type: 'signed', now: now(), claim: claim.id, chain: name, hash };
    await actors.ask(keyAddress(operation.account, claim.key), signed);
  };

  const begin = (actors: Actors, address: Address, signed: SignedOperation): Promise<void> => {
    const event: TransactionEvent = { type: 'begin', now: now(), signed };
    return actors.ask<void>(address, event);
  };

  /** All at once: what is recorded and not listed yet is with its wallet, and listed whoever crashes. */
  const record = async (
    actors: Actors,
    address: Address,
    transaction: RecordedTransaction,
  ): Promise<void> => {
    const { signed, receipt } = transaction;
    const mined: TransactionEvent = { type: 'mined', now: now(), receipt };
    const [{ registered }] = await Promise.all([
      recorder.list(actors, address.tenant, transaction),
      begin(actors, address, signed),
      actors.ask(address, mined),
    ]);
    recorder.recorded(transaction);
    await registered;
  };

  /** Its actor sends it, records it and has it listed, unless it was recorded before and whoever did that got no further. */
  const handOver = async (actors: Actors, address: Address, signed: SignedOperation): Promise<void> => {
    await begin(actors, address, signed);
    const view = await actors.read<TransactionContext>(address);
    const receipt = view?.context.receipt;
    if (receipt === undefined) return;
    const { registered } = await recorder.list(actors, address.tenant, { signed, receipt });
    await registered;
  };

  const send = async (
    actors: Actors,
    name: string,
    address: Address,
    entry: DispatchEffect,
  ): Promise<void> => {
    const { transaction: signed } = entry;
    const known = blockWatch.reorganisations();
    try {
      const [receipt] = await Promise.all([prompt(entry), tellKey(actors, name, signed)]);
      if (receipt === undefined) await handOver(actors, address, signed);
      else await record(actors, address, { signed, receipt });
      // Nobody has told a transaction that had no actor then; the receipt may be of a block that went.
      if (blockWatch.reorganisations() !== known) {
        const recheck: TransactionEvent = { type: 'recheck', now: now() };
        await actors.ask(address, recheck);
      }
    } finally {
      // Its actor has taken it, or is another node's.
      inFlight.drop(signed.hash);
    }
  };

  return async (
    entry: DispatchEffect,
    _context: AccountContext,
    { address: { tenant: name }, actors, repeated }: EffectRun,
  ): Promise<AccountEvent> => {
    const { id, transaction: signed } = entry;
    const { listed } = signed.operation;
    // They may go again until the transaction is certain.
    if ('batch' in listed) await batchPages.keep(actors, listed);
    const address = transactionAddress(name, signed.hash);
    // Somebody else may be at it, or have found that the chain refuses it: its actor knows what is to be done.
    if (repeated || !isOn(chain, name)) {
      await tellKey(actors, name, signed);
      await handOver(actors, address, signed);
    } else {
      await send(actors, name, address, entry);
    }
    return { type: 'dispatched', now: now(), entryId: id };
  };
}

/** undefined where it takes longer, or fails. */
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
