import { keptText } from '../../actors/behavior.js';
import type { ActorKind, Actors, EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import { ACCOUNT } from '../addresses.js';
import type { BatchPages } from '../index/batch-pages.js';
import type { SignedTransaction } from '../signed-transaction.js';
import {
  type AccountContext,
  type AccountEvent,
  accountMachine,
  type DispatchEffect,
  dispatchEffectsText,
  stateOf,
} from './account-machine.js';

/** What an account needs of the pipeline of transactions. */
export interface Carrier {
  /**
   * Carries a transaction that its account has committed. Resolves when the account can forget it. `length`: characters of
   * its outbox entry. `first` is false if another run may have sent it before.
   */
  carry(
    actors: Actors,
    chain: string,
    signed: SignedTransaction,
    length: number,
    first: boolean,
  ): Promise<void>;
}

export interface AccountKindOptions {
  readonly pipeline: Carrier;
  readonly batchPages: Pick<BatchPages, 'keep'>;
  readonly now: () => number;
}

/** The kind of actors that are accounts. */
export function accountKind({ pipeline, batchPages, now }: AccountKindOptions): ActorKind {
  return {
    name: ACCOUNT,
    version: 1,
    machine: accountMachine,
    stateOf,
    writers: { outbox: dispatchEffectsText },
    // A transaction is sent only after its account has committed it.
    urgent: true,
    effects: {
      /** Carries a signed transaction until the account can forget it. Its Idempotency-Key has the hash by then. */
      async dispatch(
        entry: DispatchEffect,
        _context: AccountContext,
        { address, actors, repeated }: EffectRun,
      ): Promise<AccountEvent> {
        const { transaction: signed } = entry;
        const { listed } = signed.operation;
        // The pages of a batch are deleted after a while if no transaction needs them.
        if ('batch' in listed) await batchPages.keep(actors, listed);
        const { length } = keptText(entry);
        await pipeline.carry(actors, address.tenant, signed, length, !repeated);
        return performed(entry, now());
      },
    },
  };
}
