import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import { type PerformedEvent, removePerformed } from '../../actors/outbox.js';
import type { Hex } from '../../chain/port.js';
import type { NotificationId } from '../operation.js';
import type { StoredOperation, TransactionId } from '../signed-transaction.js';

/** The context of an accepted operation: one that is recorded after its sender was answered. */
export interface AcceptedContext extends ActorContext {
  readonly operation: StoredOperation | undefined;
  readonly notification: NotificationId | undefined;
  /** Number of its entities. */
  readonly entities: number;
  /** The digest that the same notification has each time it is sent. The Idempotency-Key of the transaction is made of it. */
  readonly key: string;
  /** When it was accepted, ms since the epoch. */
  readonly since: number;
  /** Failed tries. */
  readonly tries: number;
  /** Time of the first of the refusals in a row, ms since the epoch; undefined if the last try was not refused. */
  readonly refusedSince: number | undefined;
  /** Why the last try failed. */
  readonly detail: string | undefined;
  readonly transaction: TransactionId | undefined;
  readonly failed: boolean;
  readonly outbox: readonly AcceptedEffect[];
}

/** `record` it; `release` its key. */
export interface AcceptedEffect extends OutboxEntry {
  readonly type: 'record' | 'release';
}

export type AcceptedEvent = ActorEvent &
  (
    | PerformedEvent
    | ({ readonly type: 'accept' } & Pick<AcceptedContext, 'notification' | 'entities' | 'key'> & {
          readonly operation: StoredOperation;
          /** The transaction that recorded it, if the chain has lost that for good. */
          readonly lost?: Hex | undefined;
        })
    /** Its transaction is in a block. */
    | { readonly type: 'recorded'; readonly transaction: TransactionId }
    /** No try is made before `until`, ms since the epoch. `detail`: why the last one failed; undefined: none was made. */
    | { readonly type: 'postponed'; readonly until: number; readonly detail: string | undefined }
    /** As `postponed`, after a try that was refused: waiting alone may not help. */
    | { readonly type: 'refused'; readonly until: number; readonly detail: string }
    /** It can never be recorded. */
    | { readonly type: 'failed'; readonly detail: string }
    | { readonly type: 'wake' }
  );

export interface AcceptedSettings {
  /** Time after which an operation fails if each try is refused, ms. */
  readonly refusedMs: number;
  /** How long an operation is kept after its end, ms. Until then a recorded notification is not recorded again. */
  readonly keepMs: number;
}

type EventOf<T extends AcceptedEvent['type']> = Extract<AcceptedEvent, { type: T }>;
type Change = Partial<AcceptedContext>;
type Given<T extends AcceptedEvent['type']> = {
  readonly context: AcceptedContext;
  readonly event: EventOf<T>;
};

/**
 * The machine of an accepted operation. `new`: unknown. `pending`: it is tried until it is recorded or can never be. `recorded`: its
 * transaction is in a block. `failed`: it is not recorded. The same operation can be accepted again then, and when a reorganisation
 * has ended its transaction. `gone`: its time is over.
 */
export function acceptedMachine({ refusedMs, keepMs }: AcceptedSettings) {
  const recorded = (_context: AcceptedContext, { transaction, now }: EventOf<'recorded'>): Change => ({
    transaction,
    detail: undefined,
    refusedSince: undefined,
    outbox: [{ id: 'release', type: 'release' }],
    wakeAt: now + keepMs,
  });
  const failed = (_context: AcceptedContext, { detail, now }: EventOf<'failed' | 'refused'>): Change => ({
    failed: true,
    detail,
    refusedSince: undefined,
    outbox: [],
    wakeAt: now + keepMs,
  });
  return setup({
    types: { context: {} as AcceptedContext, events: {} as AcceptedEvent },
  }).createMachine({
    id: 'operation',
    context: {
      operation: undefined,
      notification: undefined,
      entities: 0,
      key: '',
      since: 0,
      tries: 0,
      refusedSince: undefined,
      detail: undefined,
      transaction: undefined,
      failed: false,
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    states: {
      new: { on: { accept: { target: 'pending', actions: decides(accepted) } } },
      pending: {
        on: {
          recorded: { target: 'recorded', actions: decides(recorded) },
          postponed: { actions: decides(postponed) },
          refused: [
            {
              guard: ({ context, event }: Given<'refused'>) => isLastRefusal(context, event.now, refusedMs),
              target: 'failed',
              actions: decides(failed),
            },
            { actions: decides(refused) },
          ],
          failed: { target: 'failed', actions: decides(failed) },
          wake: { guard: isDue, actions: decides(recording) },
        },
      },
      recorded: {
        on: {
          accept: {
            guard: ({ context, event }: Given<'accept'>) => context.transaction!.hash === event.lost,
            target: 'pending',
            actions: decides(accepted),
          },
          performed: { actions: decides(removePerformed) },
          wake: { guard: isDue, target: 'gone' },
        },
      },
      failed: {
        on: {
          accept: { target: 'pending', actions: decides(accepted) },
          wake: { guard: isDue, target: 'gone' },
        },
      },
      gone: {},
    },
  });
}

/** True if an operation that is refused now fails: all tries of `refusedMs` were refused. */
export function isLastRefusal(
  { refusedSince }: Pick<AcceptedContext, 'refusedSince'>,
  now: number,
  refusedMs: number,
): boolean {
  return now - (refusedSince ?? now) >= refusedMs;
}

function isDue({ context, event }: { context: AcceptedContext; event: ActorEvent }): boolean {
  return context.outbox.length === 0 && (context.wakeAt ?? Infinity) <= event.now;
}

function accepted(
  _context: AcceptedContext,
  { operation, notification, entities, key, now }: EventOf<'accept'>,
): Change {
  const begun: Change = { operation, notification, entities, key, since: now, tries: 0 };
  const none = { transaction: undefined, detail: undefined, refusedSince: undefined };
  return { ...begun, failed: false, ...none, ...recording() };
}

function recording(): Change {
  return { outbox: [{ id: 'record', type: 'record' }], wakeAt: undefined };
}

function postponed({ tries }: AcceptedContext, { until, detail }: EventOf<'postponed'>): Change {
  if (detail === undefined) return { outbox: [], wakeAt: until };
  return { tries: tries + 1, detail, refusedSince: undefined, outbox: [], wakeAt: until };
}

function refused(
  { tries, refusedSince }: AcceptedContext,
  { until, detail, now }: EventOf<'refused'>,
): Change {
  return { tries: tries + 1, detail, refusedSince: refusedSince ?? now, outbox: [], wakeAt: until };
}
