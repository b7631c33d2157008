import type { ActorKind, Actors, EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import { ChainMisfit, ChainUnavailable } from '../../chain/port.js';
import { nextDelayMs } from '../../delivery/backoff.js';
import { Refusal } from '../../errors.js';
import { actorId, type Place } from '../../store/port.js';
import { sortableTime } from '../../store/sortable-time.js';
import type { Wallet } from '../../wallets/port.js';
import { OPERATION } from '../addresses.js';
import { notifyKey } from '../content/notification.js';
import type { BatchPages } from '../index/batch-pages.js';
import { type Recorder, unsettled } from '../record.js';
import type { StoredOperation } from '../signed-transaction.js';
import {
  type AcceptedContext,
  type AcceptedEffect,
  type AcceptedEvent,
  acceptedMachine,
  type AcceptedSettings,
  isLastRefusal,
} from './accepted-machine.js';
import type { OperationPermits } from './operation-permits.js';

export interface AcceptedKindOptions {
  readonly batchPages: Pick<BatchPages, 'keep'>;
  readonly recorderOf: (actors: Actors) => Pick<Recorder, 'attempt' | 'unneeded'>;
  /** The default account; undefined if it is off. */
  readonly wallet: Wallet | undefined;
  readonly permits: OperationPermits;
  readonly settings: AcceptedSettings & {
    /** Time that one try may take, ms. */
    readonly tryMs: number;
  };
  /** `now`: ms since the epoch; `random`: uniform in [0, 1). */
  readonly clock: { now(): number; random(): number };
  /** Aborted when the service stops. */
  readonly stopped: AbortSignal;
}

/** Delay after which an operation without a permit is tried again, ms: at least `least`, at most `spread` more. */
const POSTPONE_MS = { least: 10_000, spread: 20_000 };

/** Returns the kind of accepted operations. */
export function acceptedKind(options: AcceptedKindOptions): ActorKind {
  const { recorderOf, settings, clock } = options;
  return {
    name: OPERATION,
    version: 1,
    machine: acceptedMachine(settings),
    rarelyWritten: ['operation', 'notification', 'entities', 'key', 'since'],
    place: { follows: ['since', 'transaction', 'failed'], of: placeOf },
    evictAfter: ['recorded', 'failed'],
    unindexedState: 'recorded',
    deletedState: 'gone',
    effects: {
      record: recordEffect(options),
      async release(entry: AcceptedEffect, { operation, key }: AcceptedContext, { actors }: EffectRun) {
        await recorderOf(actors).unneeded(operation!.account, notifyKey(key).name);
        return performed(entry, clock.now());
      },
    },
  };
}

/** Returns the order of an operation that was accepted at a time, ms since the epoch: the newest sorts first. */
function orderOf(since: number): string {
  return sortableTime(Number.MAX_SAFE_INTEGER - since);
}

/** Operations that are not recorded are listed, and counted by state. */
function placeOf({ since, transaction, failed }: AcceptedContext): Place {
  if (transaction !== undefined) return { order: undefined, tags: '' };
  return { order: orderOf(since), tags: failed ? 'failed' : 'pending' };
}

function recordEffect(options: AcceptedKindOptions) {
  const { batchPages, recorderOf, wallet, permits, settings, clock, stopped } = options;

  /** Has the operation signed, and waits for its block without end. Returns a failure if it is not signed, or refused. */
  const recordNow = async (
    actors: Actors,
    operation: StoredOperation,
    key: string,
  ): Promise<AcceptedEvent | Failure> => {
    const by = await signerOf(wallet, operation);
    for (;;) {
      const { transaction, outcome } = await recorderOf(actors).attempt(operation, {
        wallet: by,
        key: { ...notifyKey(key), needed: true },
        deadline: clock.now() + settings.tryMs,
        trace: operation.trace,
      });
      stopped.throwIfAborted();
      if (outcome === undefined) continue;
      if (outcome.is === 'mined') return { type: 'recorded', now: clock.now(), transaction };
      const { message: detail } = unsettled(outcome, transaction.hash, operation.account, undefined);
      if (outcome.reason === 'refused') return { type: 'failed', now: clock.now(), detail };
      return { detail, isRefused: outcome.reason === 'funds' };
    }
  };

  return async (
    _entry: AcceptedEffect,
    { operation, key, tries, refusedSince }: AcceptedContext,
    { actors, address }: EffectRun,
  ): Promise<AcceptedEvent> => {
    const { listed } = operation!;
    const name = actorId(address);
    // The pages of a batch are deleted after a while unless they are kept.
    if (tries === 0 && 'batch' in listed) await batchPages.keep(actors, listed);
    const end = await permits.acquire(name);
    if (end === undefined) {
      const until = clock.now() + POSTPONE_MS.least + Math.round(clock.random() * POSTPONE_MS.spread);
      permits.backOff(name, until);
      return { type: 'postponed', now: clock.now(), until, detail: undefined };
    }
    let failure: Failure;
    try {
      const result = await recordNow(actors, operation!, key);
      if ('type' in result) return result;
      failure = result;
    } catch (error) {
      failure = failureOf(error);
    } finally {
      end();
    }
    const { isRefused, ...why } = failure;
    const now = clock.now();
    const until = now + nextDelayMs({ attempt: tries + 1, random: clock.random() });
    const isLast = isRefused && isLastRefusal({ refusedSince }, now, settings.refusedMs);
    if (!isLast) permits.backOff(name, until);
    return { type: isRefused ? 'refused' : 'postponed', now, until, ...why };
  };
}

/** Why a try failed. */
interface Failure {
  readonly detail: string;
  /** True if waiting alone may not help. */
  readonly isRefused: boolean;
}

/** Returns the default account, which must be the one that the operation was accepted for. Throws `Refusal`. */
async function signerOf(wallet: Wallet | undefined, { account }: StoredOperation): Promise<Wallet> {
  if (wallet !== undefined && (await wallet.account()) === account) return wallet;
  throw new Refusal(
    'unavailable',
    `the operation was accepted for the default account ${account}, which is not that of the service any more: set DEFAULT_ACCOUNT_KEY to its key`,
  );
}

/** Returns why a try failed with an error. Throws an error that is not of the chain or of the signature. */
function failureOf(error: unknown): Failure {
  if (error instanceof ChainUnavailable) {
    const because = error.reason === undefined ? '' : `: ${error.reason}`;
    return { detail: `the node of the chain does not answer${because}`, isRefused: false };
  }
  if (error instanceof ChainMisfit) return { detail: error.message, isRefused: true };
  if (error instanceof Refusal) return { detail: error.message, isRefused: error.code !== 'unavailable' };
  throw error;
}
