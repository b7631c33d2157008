import type { ActorKind } from '../../../src/actors/kind.js';
import { receiverKind } from '../../../src/delivery/receiver/receiver-kind.js';
import {
  type Failing,
  minuteOf,
  receiverAddress,
  type ReceiverContext,
  type ReceiverEvent,
  type TriedEvent,
} from '../../../src/delivery/receiver/receiver-machine.js';
import { driveActor, type DrivenActor } from '../../actors/stage/driven-actor.js';
import { NOON } from '../driven-delivery.js';

/** A receiver, written to a document and restored after each change. */
export type Receiver = DrivenActor<ReceiverContext, ReceiverEvent>;

export const KEEP = 30 * 86_400_000;
export const FAILED: Failing = { since: NOON, at: NOON, server: 'web-1', subscriptionId: 's1' };

/** The kind of the receivers for a machine alone. */
export function drivenReceiverKind(): ActorKind {
  const idle = (): never => {
    throw new Error('a machine alone has no effects');
  };
  return receiverKind({ store: { list: idle }, owner: { has: idle }, keepMs: KEEP, now: idle });
}

/** A receiver without answers. */
export function newReceiver(): Receiver {
  return driveActor(drivenReceiverKind(), receiverAddress('acme', 'rcv_0123456789abcdef'));
}

/** The event of one answer. */
export function tried(given: Partial<Omit<TriedEvent, 'type' | 'now'>>) {
  return {
    type: 'tried',
    url: 'https://example.org/hook',
    minutes: [[minuteOf(NOON), 1, given.failing === undefined ? 1 : 0]],
    last: { at: NOON, status: 200, detail: '200 in 3 ms' },
    succeededAt: undefined,
    failing: undefined,
    ...given,
  } as const;
}
