import type { Actors } from '../../actors/kind.js';
import { addressOf, type Store } from '../../store/port.js';
import { type About, type AboutSubscription, isOfSubscription } from '../delivery.js';
import type { Answer } from '../port.js';
import {
  type Failing,
  type LastAnswer,
  lastMinutes,
  type Minute,
  minuteOf,
  RECEIVER,
  receiverAddress,
  type ReceiverContext,
  receiverId,
  type SubscribedEvent,
  type TriedEvent,
} from './receiver-machine.js';

/** What this node knows of the receivers of webhooks, from the answers to its own attempts. */
export type ReceiverWatch = ReturnType<typeof createReceiverWatch>;

/** An answered attempt. */
export interface AnsweredAttempt {
  /** The id of the receiver. */
  readonly id: string;
  readonly url: string;
  readonly about: About | undefined;
  readonly answer: Answer;
}

/** How often the answers that are not stored yet are checked, ms. */
const TICK_MS = 250;
/**
 * Time between two commits of one receiver, ms: after a change between `ok` and `failing`, while it fails, and while it
 * works. The last one holds the figures of an hour alone.
 */
const EVERY_MS = { change: 250, failing: 1_000, ok: 60_000 };
/** Maximum number of commits of a tick that have figures alone. */
const FIGURES_AT_ONCE = 25;
/** How often a node of several reads which receivers fail, ms, and how many it reads. */
const OTHERS = { everyMs: 1_000, most: 1_000 };
/** Receivers in memory: those without answers to store are forgotten above it. */
const KEPT = 10_000;

/** A receiver, as this node knows it. */
interface Known {
  readonly tenant: string;
  readonly id: string;
  readonly url: string;
  /** As last stored; undefined: this node has not read it. */
  state: 'ok' | 'failing' | undefined;
  /** Answers that are not stored yet. */
  added: Added | undefined;
  /** Answers that are being stored. */
  storing: Added | undefined;
  storedAt: number;
}

interface Added {
  minutes: readonly Minute[];
  last: LastAnswer | undefined;
  succeededAt: number | undefined;
  failing: Failing | undefined;
}

/**
 * Creates the watch of a node. It stores a change between `ok` and `failing` at once, and the figures of a receiver that
 * works rarely: an attempt at one costs no commit.
 */
export function createReceiverWatch(options: {
  readonly actors: () => Actors;
  readonly store: Pick<Store, 'outline' | 'shared'>;
  /** False for a tenant that was deleted: nothing more is stored of its receivers. */
  readonly isKnown: (tenant: string) => Promise<boolean>;
  /** ms since the epoch. */
  readonly now: () => number;
}) {
  const { actors, store, isKnown, now } = options;
  const receivers = new Map<string, Known>();
  const dirty = new Set<Known>();
  const running = new Set<Promise<unknown>>();
  let othersAt = 0;

  const run = (work: Promise<unknown>): void => {
    const ended = work.catch(() => undefined).finally(() => running.delete(ended));
    running.add(ended);
  };

  const knownOf = (tenant: string, id: string, url: string): Known => {
    let known = receivers.get(id);
    if (known === undefined) {
      known = {
        tenant,
        id,
        url,
        state: undefined,
        added: undefined,
        storing: undefined,
        storedAt: -Infinity,
      };
      receivers.set(id, known);
    }
    return known;
  };

  const add = (known: Known, added: Added): void => {
    known.added = known.added === undefined ? added : merged(known.added, added, now());
    dirty.add(known);
    if (isChange(known) && now() - known.storedAt >= EVERY_MS.change) keep(known);
  };

  /** Stores the answers of a receiver. Those that could not be stored are added again. */
  const keep = (known: Known): void => {
    if (known.storing !== undefined || known.added === undefined) return;
    const { tenant, id, url } = known;
    const added = known.added;
    known.storing = added;
    known.added = undefined;
    dirty.delete(known);
    known.storedAt = now();
    const event: TriedEvent = { type: 'tried', now: now(), url, ...added };
    const store = async (): Promise<void> => {
      try {
        if (!(await isKnown(tenant))) return void receivers.delete(id);
        known.state = await actors().ask<'ok' | 'failing'>(receiverAddress(tenant, id), event);
      } catch (error) {
        known.added = known.added === undefined ? added : merged(added, known.added, now());
        dirty.add(known);
        throw error;
      } finally {
        known.storing = undefined;
      }
    };
    run(store());
  };

  /** Reads a receiver that this node had no answer of before. One without a document is stored. */
  const learn = async (known: Known): Promise<void> => {
    const view = await actors().read<ReceiverContext>(receiverAddress(known.tenant, known.id));
    if (view === undefined) return keep(known);
    known.state ??= view.state === 'failing' ? 'failing' : 'ok';
    known.storedAt = Math.max(known.storedAt, now() - EVERY_MS.change);
  };

  const tick = (): void => {
    const at = now();
    let figures = 0;
    for (const known of dirty) {
      const { state, storedAt, storing } = known;
      const age = at - storedAt;
      if (storing !== undefined) continue;
      if (isChange(known)) {
        if (age >= EVERY_MS.change || age < 0) keep(known);
      } else if (figures < FIGURES_AT_ONCE) {
        if (state !== undefined && age >= 0 && age < EVERY_MS[state]) continue;
        figures += 1;
        if (state === undefined) run(learn(known));
        else keep(known);
      }
    }
    if (receivers.size > KEPT) forget();
    // What others have found matters for answers that are not stored yet.
    if (store.shared && dirty.size > 0 && (at >= othersAt || at < othersAt - OTHERS.everyMs)) {
      othersAt = at + OTHERS.everyMs;
      run(readOthers());
    }
  };

  const forget = (): void => {
    for (const [id, known] of receivers) {
      if (receivers.size <= KEPT) return;
      if (known.added === undefined && known.storing === undefined) receivers.delete(id);
    }
  };

  /** Other nodes may have found a receiver failing that works for this node since: the next tick stores its answers then. */
  const readOthers = async (): Promise<void> => {
    const query = { kind: RECEIVER, state: 'failing', limit: OTHERS.most };
    for (const { id } of (await store.outline(query)).items) {
      const known = receivers.get(addressOf(id).name);
      if (known?.added !== undefined) known.state = 'failing';
    }
  };

  const timer = setInterval(tick, TICK_MS).unref();

  return {
    /** Records the answer to an attempt. */
    answered(attempt: AnsweredAttempt): void {
      const { id, url, about, answer } = attempt;
      if (!isOfSubscription(about)) return;
      const at = now();
      const succeeded = answer.result === 'delivered';
      const { tenant, server, subscriptionId } = about;
      add(knownOf(tenant, id, url), {
        minutes: [[minuteOf(at), 1, succeeded ? 1 : 0]],
        last: { at, status: answer.status ?? null, detail: answer.detail },
        succeededAt: succeeded ? at : undefined,
        failing: succeeded ? undefined : { since: at, at, server, subscriptionId },
      });
    },
    /** Resolves once a failure at `at` is stored: its attempt was answered before the node was stopped, perhaps. */
    async failed({ id, url, about }: Omit<AnsweredAttempt, 'answer'>, at: number): Promise<void> {
      if (!isOfSubscription(about) || receivers.get(id)?.state === 'failing') return;
      const { tenant, server, subscriptionId } = about;
      const failing = { since: at, at, server, subscriptionId };
      const tried = { minutes: [], last: undefined, succeededAt: undefined, failing };
      const event: TriedEvent = { type: 'tried', now: now(), url, ...tried };
      await actors().ask(receiverAddress(tenant, id), event);
    },
    /** Lets a receiver be known before its first message. Does not fail: its first answer does the same. */
    subscribed({ tenant, server, subscriptionId }: AboutSubscription, url: string): void {
      const id = receiverId(tenant, url);
      if (receivers.has(id)) return;
      const event: SubscribedEvent = { type: 'subscribed', now: now(), url, server, subscriptionId };
      run(actors().ask(receiverAddress(tenant, id), event));
    },
    /** Drops the answers to the attempts of a receiver that is deleted. */
    forget(id: string): void {
      const known = receivers.get(id);
      if (known === undefined) return;
      receivers.delete(id);
      dirty.delete(known);
      known.added = undefined;
    },
    /** Returns the answers of this node to the attempts of a receiver that are not stored yet. */
    unstored(id: string): Pick<Added, 'minutes' | 'last'> | undefined {
      const known = receivers.get(id);
      if (known?.storing === undefined) return known?.added;
      return known.added === undefined ? known.storing : merged(known.storing, known.added, now());
    },
    /** Stores all answers. Called before the actors are closed. */
    async close(): Promise<void> {
      clearInterval(timer);
      while (running.size > 0) await Promise.all(running);
      for (const known of dirty) keep(known);
      await Promise.all(running);
    },
  };
}

/** True if the answers that are not stored yet change the state. */
function isChange({ added, state }: Known): boolean {
  if (added === undefined) return false;
  if (added.failing !== undefined) return state !== 'failing';
  return state === 'failing' && added.succeededAt !== undefined;
}

/** Returns answers with later ones. */
function merged(before: Added, after: Added, now: number): Added {
  const begun = after.succeededAt === undefined ? before.failing : undefined;
  return {
    minutes: lastMinutes([...before.minutes, ...after.minutes], now),
    last: after.last ?? before.last,
    succeededAt: after.succeededAt ?? before.succeededAt,
    failing:
      after.failing === undefined || begun === undefined
        ? (after.failing ?? begun)
        : { ...after.failing, since: begun.since },
  };
}
