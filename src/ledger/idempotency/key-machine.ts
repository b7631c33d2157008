import { assign, setup } from 'xstate';
import type { ActorContext, ActorEvent } from '../../actors/kind.js';
import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';

/** What an Idempotency-Key stands for. */
export interface KeyContext extends ActorContext {
  /** Digest of the operation that it came with. */
  readonly content: string;
  /** Who is having it signed. */
  readonly claim: Claim | undefined;
  /** Claims that were taken over: what they signed before counts. */
  readonly former: readonly string[];
  /** The transaction that was signed for it. */
  readonly signed: { readonly chain: string; readonly hash: Hex } | undefined;
}

export interface Claim {
  readonly id: string;
  /** The process that holds it. */
  readonly node: string;
  /** ms since the epoch. */
  readonly at: number;
}

/** The reply to `claim` and `takeOver`. */
export type Claimed =
  | { readonly is: 'yours' }
  /** From holders of which any may still be at it, the last one among them: `former`. */
  | { readonly is: 'taken-over'; readonly former: readonly string[] }
  | { readonly is: 'held'; readonly by: Claim }
  | { readonly is: 'signed'; readonly chain: string; readonly hash: Hex };

export type KeyEvent = ActorEvent &
  (
    | { readonly type: 'claim'; readonly content: string; readonly claim: Claim }
    /** Claims it from a holder that is presumed dead. */
    | { readonly type: 'takeOver'; readonly from: string; readonly claim: Claim }
    | { readonly type: 'signed'; readonly claim: string; readonly chain: string; readonly hash: Hex }
    /** Nothing was signed for the claim. */
    | { readonly type: 'release'; readonly claim: string }
    /** The chain will never have the transaction. */
    | { readonly type: 'failed'; readonly hash: Hex }
    | { readonly type: 'wake' }
  );

/**
 * The machine of an Idempotency-Key of an account: `unused`, `claimed` while its operation is being signed, `signed`
 * once its transaction is certain, `gone` when its time is over, or when nothing came of it and it can be used again.
 */
export function keyMachine({ ttlMs }: { readonly ttlMs: number }) {
  return setup({
    types: { context: {} as KeyContext, events: {} as KeyEvent },
  }).createMachine({
    id: 'key',
    context: {
      content: '',
      claim: undefined,
      former: [],
      signed: undefined,
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'unused',
    states: {
      unused: {
        on: {
          claim: {
            target: 'claimed',
            actions: assign(({ event }) => ({
              content: event.content,
              claim: event.claim,
              wakeAt: event.now + ttlMs,
              reply: { is: 'yours' } satisfies Claimed,
            })),
          },
        },
      },
      claimed: {
        on: {
          claim: { actions: assign(({ context, event }) => ({ reply: answer(context, event) })) },
          takeOver: {
            actions: assign(({ context, event }) => {
              if (context.claim!.id !== event.from) {
                return { reply: { is: 'held', by: context.claim! } satisfies Claimed };
              }
              const former = [...context.former, event.from];
              return { claim: event.claim, former, reply: { is: 'taken-over', former } satisfies Claimed };
            }),
          },
          signed: {
            guard: ({ context, event }) => [...context.former, context.claim!.id].includes(event.claim),
            target: 'signed',
            actions: assign(({ event }) => ({
              signed: { chain: event.chain, hash: event.hash },
              claim: undefined,
              wakeAt: event.now + ttlMs,
            })),
          },
          release: { guard: ({ context, event }) => context.claim!.id === event.claim, target: 'gone' },
          wake: { guard: isOver, target: 'gone' },
        },
      },
      signed: {
        on: {
          claim: { actions: assign(({ context, event }) => ({ reply: answer(context, event) })) },
          takeOver: {
            actions: assign(({ context }) => ({
              reply: { is: 'signed', ...context.signed! } satisfies Claimed,
            })),
          },
          failed: { guard: ({ context, event }) => context.signed!.hash === event.hash, target: 'gone' },
          wake: { guard: isOver, target: 'gone' },
        },
      },
      gone: {},
    },
  });
}

function isOver({ context, event }: { context: KeyContext; event: ActorEvent }): boolean {
  return (context.wakeAt ?? 0) <= event.now;
}

function answer(
  context: KeyContext,
  event: { readonly content: string; readonly claim: Claim },
): Claimed | Refusal {
  if (context.content !== event.content) {
    return new Refusal(
      'unprocessable',
      'this Idempotency-Key has been used for another request of the same account; send a new key',
    );
  }
  if (context.signed !== undefined) return { is: 'signed', ...context.signed };
  return context.claim!.id === event.claim.id ? { is: 'yours' } : { is: 'held', by: context.claim! };
}
