import type { ActorKind, EffectRun } from '../../actors/kind.js';
import type { SubscriptionOwner } from '../endpoint/endpoint-kind.js';
import {
  RECEIVER,
  type ReceiverContext,
  type ReceiverEvent,
  receiverMachine,
  stateOf,
} from './receiver-machine.js';

/** The kind of the receivers, each named by its id. `keepMs`: how long one without an attempt is kept. */
export function receiverKind(options: {
  readonly owner: Pick<SubscriptionOwner, 'has'>;
  readonly keepMs: number;
  /** ms since the epoch. */
  readonly now: () => number;
}): ActorKind {
  const { owner, keepMs, now } = options;
  return {
    name: RECEIVER,
    version: 1,
    machine: receiverMachine(keepMs),
    stateOf,
    rarelyWritten: ['url'],
    evictAfter: ['ok', 'failing'],
    deletedState: 'gone',
    effects: {
      async check(
        _entry: unknown,
        { failing, untried }: ReceiverContext,
        { address: { tenant }, actors }: EffectRun,
      ): Promise<ReceiverEvent> {
        const about = failing ?? untried;
        const subscribed = about === undefined || (await owner.has(actors, { tenant, ...about }));
        return { type: 'checked', now: now(), subscribed };
      },
    },
  };
}
