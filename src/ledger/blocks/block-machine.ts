import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { Hex } from '../../chain/port.js';

/** What is known of a block that may still go. */
export interface BlockContext extends ActorContext {
  /** The transactions whose receipts name it, in the order in which they came. */
  readonly transactions: readonly Hex[];
  /** Those of them that came, or came again, since the look that is under way began: it says nothing of them. */
  readonly late: readonly Hex[];
  /** When the first of them came, ms since the epoch. */
  readonly since: number;
  /** How often it was looked at. */
  readonly looks: number;
  readonly outbox: readonly LookEffect[];
}

/** Look whether it is still the chain's. */
export interface LookEffect extends OutboxEntry {
  readonly type: 'look';
  /** A node that lacks it may only lag, unless it is known that blocks went. */
  readonly why: 'age' | 'reorganisation';
}

export type BlockEvent = ActorEvent &
  (
    | { readonly type: 'watch'; readonly transactions: readonly Hex[] }
    /** Blocks may have gone. */
    | { readonly type: 'look' }
    /** It is the chain's; `deep` where it lies under so many others that no reorganisation is expected to move it. */
    | { readonly type: 'seen'; readonly entryId: string; readonly deep: boolean }
    /** The chain has another in its place, or none; its transactions look for themselves now, but for those that are late. */
    | { readonly type: 'lost'; readonly entryId: string }
    | { readonly type: 'wake' }
  );

export interface BlockSettings {
  /** How long it must have been watched before it is final, ms. */
  readonly finalMs: number;
}

const LONGEST_PAUSE_MS = 3_600_000;

type Told<T extends BlockEvent['type']> = Extract<BlockEvent, { type: T }>;
type Change = Partial<BlockContext>;

/**
 * The machine of a block that holds transactions of the service: `watched` until no reorganisation is expected to take
 * it any more, or it has gone. It stands for all of its transactions, which need not be woken and written once more
 * each to be final.
 */
export function blockMachine({ finalMs }: BlockSettings) {
  const begun = (_context: BlockContext, { now, transactions }: Told<'watch'>): Change => ({
    transactions: [...new Set(transactions)],
    late: [],
    since: now,
    looks: 0,
    outbox: [],
    wakeAt: now + finalMs,
  });
  const open = ({ since }: BlockContext, { now }: Told<'seen'>): Change => {
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
      looks: 0,
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'unwatched',
    states: {
      unwatched: { on: { watch: { target: 'watched', actions: decides(begun) } } },
      watched: {
        on: {
          watch: { actions: decides(joined) },
          look: { actions: decides((context) => looking(context, 'reorganisation')) },
          wake: {
            guard: ({ context, event }) => (context.wakeAt ?? Infinity) <= event.now,
            actions: decides((context) => looking(context, 'age')),
          },
          seen: [
            // An answer from before the last reorganisation.
            { guard: isStale },
            {
              // A node that was killed may come back without its newest blocks, however many there were.
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
                begun(context, { type: 'watch', now, transactions: context.late }),
              ),
            },
            { target: 'gone' },
          ],
        },
      },
      // A transaction may come together with what ended the watch over the others.
      gone: { on: { watch: { target: 'watched', actions: decides(begun) } } },
    },
  });
}

function joined({ transactions, late, outbox }: BlockContext, { transactions: more }: Told<'watch'>): Change {
  const all = [...new Set([...transactions, ...more])];
  const joining = all.length === transactions.length ? {} : { transactions: all };
  return outbox.length === 0 ? joining : { ...joining, late: [...new Set([...late, ...more])] };
}

/** With an entry of its own each time, also where it is watched anew: an answer on its way is not to a later question. */
function looking({ since, looks }: BlockContext, why: LookEffect['why']): Change {
  const entry: LookEffect = { id: `look:${since}.${looks + 1}`, type: 'look', why };
  return { looks: looks + 1, late: [], outbox: [entry], wakeAt: undefined };
}
