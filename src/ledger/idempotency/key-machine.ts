import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { TransactionId } from '../signed-transaction.js';

/** The state of an Idempotency-Key. */
export interface KeyContext extends ActorContext {
  /** Digest of the operation that it came with. */
  readonly content: string;
  /** The request that is having the operation signed. */
  readonly claim: Claim | undefined;
  /** Claims that were taken over. A signature for one of them counts. */
  readonly former: readonly string[];
  /** The transaction that was signed for the key. */
  readonly signed: TransactionId | undefined;
  /** True while an accepted operation needs the key: it does not expire. Absent: false. */
  readonly needed?: boolean | undefined;
  readonly outbox: readonly FenceEffect[];
}

export interface Claim {
  readonly id: string;
  /** The process that holds it. */
  readonly node: string;
  /** ms since the epoch. */
  readonly at: number;
}

/** Have the account refuse signatures for the key's claims. */
export interface FenceEffect extends OutboxEntry {
  readonly type: 'fence';
  readonly claims: readonly string[];
}

/** The reply to `claim` and `takeOver`. */
export type Claimed =
  | { readonly is: 'yours' }
  /** `former`: the earlier claims, the last one among them. A signature for any of them may still come. */
  | { readonly is: 'taken-over'; readonly former: readonly string[] }
  | { readonly is: 'held'; readonly by: Claim }
  | ({ readonly is: 'signed' } & TransactionId);

export type KeyEvent = ActorEvent &
  /** `needed`: the key stays until `unneeded`. */
  (
    | { readonly type: 'claim'; readonly content: string; readonly claim: Claim; readonly needed?: boolean }
    /** The time to live of a signed key begins. */
    | { readonly type: 'unneeded' }
    /** Claims the key from a holder that is presumed dead. */
    | { readonly type: 'takeOver'; readonly from: string; readonly claim: Claim }
    | ({ readonly type: 'signed'; readonly claim: string } & TransactionId)
    /** Nothing was signed for the claim. */
    | { readonly type: 'release'; readonly claim: string }
    /** The account refuses every later signature for the claims, and has none of an earlier time. */
    | { readonly type: 'fenced'; readonly entryId: string }
    /** The chain will never have the transaction. */
    | { readonly type: 'failed'; readonly hash: Hex }
    | { readonly type: 'wake' }
  );

type EventOf<T extends KeyEvent['type']> = Extract<KeyEvent, { type: T }>;

/** The shortest life of a claim, ms: no request waits as long for its signature. */
const LONGEST_CLAIM_MS = 15 * 60_000;

/**
 * The machine of an Idempotency-Key of an account: `unused`, `claimed` while the operation is being signed, `signed` once
 * a transaction is durable, `gone` when the key can be used for another request. A signed key goes when the chain refuses the
 * transaction, or after its time to live. If an accepted operation needs the key, this time begins when the operation has ended.
 * A claimed key goes when the claim is released. After its time to live it goes once the account refuses signatures for its
 * claims, so that the next claim cannot lead to a second transaction.
 */
export function keyMachine(ttlMs: number) {
  const claimEnd = (now: number): number => now + Math.max(ttlMs, LONGEST_CLAIM_MS);

  const claimed = (
    _context: KeyContext,
    { content, claim, needed, now }: EventOf<'claim'>,
  ): Partial<KeyContext> => ({
    content,
    claim,
    needed,
    wakeAt: claimEnd(now),
    reply: { is: 'yours' } satisfies Claimed,
  });

  const takenOver = (
    { claim: held, former }: KeyContext,
    { from, claim, now }: EventOf<'takeOver'>,
  ): Partial<KeyContext> => {
    if (held!.id !== from) return { reply: { is: 'held', by: held! } satisfies Claimed };
    const all = [...former, from];
    const reply: Claimed = { is: 'taken-over', former: all };
    return { claim, former: all, outbox: [], wakeAt: claimEnd(now), reply };
  };

  const signed = ({ needed }: KeyContext, { chain, hash, now }: EventOf<'signed'>): Partial<KeyContext> => ({
    signed: { chain, hash },
    claim: undefined,
    outbox: [],
    wakeAt: needed === true ? undefined : now + ttlMs,
  });

  const unneeded = ({ needed }: KeyContext, { now }: EventOf<'unneeded'>): Partial<KeyContext> =>
    needed === true ? { needed: undefined, wakeAt: now + ttlMs } : {};

  return setup({
    types: { context: {} as KeyContext, events: {} as KeyEvent },
  }).createMachine({
    id: 'key',
    context: {
      content: '',
      claim: undefined,
      former: [],
      signed: undefined,
      needed: undefined,
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'unused',
    states: {
      unused: { on: { claim: { target: 'claimed', actions: decides(claimed) } } },
      claimed: {
        on: {
          claim: { actions: decides(answered) },
          takeOver: { actions: decides(takenOver) },
          signed: {
            guard: ({ context, event }) => claimsOf(context).includes(event.claim),
            target: 'signed',
            actions: decides(signed),
          },
          release: { guard: ({ context, event }) => context.claim!.id === event.claim, target: 'gone' },
          wake: { guard: isOver, actions: decides(fencing) },
          fenced: {
            guard: ({ context, event }) => context.outbox.some(({ id }) => id === event.entryId),
            target: 'gone',
          },
        },
      },
      signed: {
        on: {
          claim: { actions: decides(answered) },
          takeOver: { actions: decides(answeredSigned) },
          failed: { guard: ({ context, event }) => context.signed!.hash === event.hash, target: 'gone' },
          unneeded: { actions: decides(unneeded) },
          wake: { guard: isOver, target: 'gone' },
        },
      },
      gone: {},
    },
  });
}

/** All claims that a signature may come for, the newest last. */
function claimsOf({ former, claim }: KeyContext): readonly string[] {
  return [...former, claim!.id];
}

function isOver({ context, event }: { context: KeyContext; event: ActorEvent }): boolean {
  return (context.wakeAt ?? Infinity) <= event.now;
}

/** The entry's id has the newest claim: a result that comes after that was taken over is ignored. */
function fencing(context: KeyContext): Partial<KeyContext> {
  const claims = claimsOf(context);
  return { outbox: [{ id: `fence:${claims.at(-1)}`, type: 'fence', claims }], wakeAt: undefined };
}

function answered(context: KeyContext, { content, claim }: EventOf<'claim'>): Partial<KeyContext> {
  if (context.content !== content) {
    throw new Refusal(
      'unprocessable',
      'this Idempotency-Key has been used for another request of the same account; send a new key',
    );
  }
  if (context.signed !== undefined) return answeredSigned(context);
  const held = context.claim!;
  return { reply: (held.id === claim.id ? { is: 'yours' } : { is: 'held', by: held }) satisfies Claimed };
}

function answeredSigned({ signed }: KeyContext): Partial<KeyContext> {
  return { reply: { is: 'signed', ...signed! } satisfies Claimed };
}
