import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { Hex } from '../../chain/port.js';

/** The context of a block that a reorganisation may still replace. */
export interface BlockContext extends ActorContext {
  /** The transactions whose receipts name the block, in order of arrival. */
  readonly transactions: readonly Hex[];
  /** Transactions that came, or came again, since the open check began: its result does not count for them. */
  readonly late: readonly Hex[];
  /** When the first transaction came, ms since the epoch. */
  readonly since: number;
  /** Number of checks so far. */
  readonly checks: number;
  readonly outbox: readonly CheckEffect[];
}

/** Looks up whether the block is still on the chain. */
export interface CheckEffect extends OutboxEntry {
  readonly type: 'check';
  /** `age`: a node without the block may lag. `reorganisation`: blocks have left the chain, so the block is lost then. */
  readonly why: 'age' | 'reorganisation';
}

export type BlockEvent = ActorEvent &
  (
    | { readonly type: 'watch'; readonly transactions: readonly Hex[] }
    /** Blocks may have left the chain. */
    | { readonly type: 'check' }
    /** The block is on the chain. `deep`: under so many others that no reorganisation is expected to replace it. */
    | { readonly type: 'seen'; readonly entryId: string; readonly deep: boolean }
    /** The chain has another block at this height, or none. All transactions but those in `late` were sent `recheck`. */
    | { readonly type: 'lost'; readonly entryId: string }
    | { readonly type: 'wake' }
  );

export interface BlockSettings {
  /** Least time for which a block is watched before it is final, ms. */
  readonly finalMs: number;
}

const LONGEST_PAUSE_MS = 3_600_000;

type EventOf<T extends BlockEvent['type']> = Extract<BlockEvent, { type: T }>;
type Change = Partial<BlockContext>;

/**
 * The machine of a block that holds transactions of the service. It is `watched` until the block is final or lost. One
 * actor for each block, because an actor for each transaction would have to be written once more to become final.
 */
export function blockMachine({ finalMs }: BlockSettings) {
  const watched = (_context: BlockContext, { now, transactions }: EventOf<'watch'>): Change => ({
    transactions: [...new Set(transactions)],
    late: [],
    since: now,
    checks: 0,
    outbox: [],
    wakeAt: now + finalMs,
  });
  const open = ({ since }: BlockContext, { now }: EventOf<'seen'>): Change => {
    const age = now - since;
    const pause = age < finalMs ? finalMs - age : Math.min(age, LONGEST_PAUSE_MS);
    return { late: [], outbox: [], wakeAt: now + pause };
  };
  const isStale = ({ context, event }: { context: BlockContext; event: { entryId: string } }): boolean =>
    context.outbox[0]?.id !== event.entryId;
  return setup({ types: { context: {} as BlockContext, events: {} as BlockEvent } }).createMachine({
    id: 'block',
    context: {
      transactions: [],
      late: [],
      since: 0,
      checks: 0,
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'unwatched',
    states: {
      unwatched: { on: { watch: { target: 'watched', actions: decides(watched) } } },
      watched: {
        on: {
          watch: { actions: decides(joined) },
          check: { actions: decides((context) => checking(context, 'reorganisation')) },
          wake: {
            guard: ({ context, event }) => (context.wakeAt ?? Infinity) <= event.now,
            actions: decides((context) => checking(context, 'age')),
          },
          seen: [
            // The answer is older than the last reorganisation.
            { guard: isStale },
            {
              // A node that was killed may come back without its newest blocks, whatever their number.
              guard: ({ context, event }) => event.deep && event.now - context.since >= finalMs,
              target: 'gone',
            },
            { actions: decides(open) },
          ],
          lost: [
            { guard: isStale },
            {
              // The node may have the block again.
              guard: ({ context }) => context.late.length > 0,
              actions: decides((context, { now }) =>
                watched(context, { type: 'watch', now, transactions: context.late }),
              ),
            },
            { target: 'gone' },
          ],
        },
      },
      // A transaction may arrive together with the event that ends the watch.
      gone: { on: { watch: { target: 'watched', actions: decides(watched) } } },
    },
  });
}

function joined(
  { transactions, late, outbox }: BlockContext,
  { transactions: more }: EventOf<'watch'>,
): Change {
  const all = [...new Set([...transactions, ...more])];
  const joining = all.length === transactions.length ? {} : { transactions: all };
  return outbox.length === 0 ? joining : { ...joining, late: [...new Set([...late, ...more])] };
}

/** Opens a check. Each check has an id of its own, even after a new `watch`, so that no late answer counts for it. */
function checking({ since, checks }: BlockContext, why: CheckEffect['why']): Change {
  const entry: CheckEffect = { id: `check:${since}.${checks + 1}`, type: 'check', why };
  return { checks: checks + 1, late: [], outbox: [entry], wakeAt: undefined };
}
