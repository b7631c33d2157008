import { assign } from 'xstate';
import { Refusal } from '../errors.js';
import type { ActorContext, ActorEvent } from './kind.js';

/** What an event changes in the context. Pure: it may be asked twice of the same event. */
export type Decision = (context: ActorContext, event: ActorEvent) => object;

const decisions = new WeakMap<object, Decision>();

/** Makes a decision for a machine's `assign`: a refusal that it throws changes nothing and becomes the reply. */
export function replyingRefusals<T extends object>(decide: () => T): T | { reply: Refusal } {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return { reply: error };
    throw error;
  }
}

/** An action of a machine, as its configuration takes it. */
export type Deciding<C, E> = (args: { readonly context: C; readonly event: E }) => void;

/**
 * The `assign` of a decision, in a form that the runtime can take without the machine's search for states: see
 * `fastTransition`. A refusal that it throws changes nothing and becomes the reply.
 */
export function decides<C extends ActorContext, E extends ActorEvent>(
  decide: (context: C, event: E) => Partial<C>,
): Deciding<C, E> {
  const decision = (context: C, event: E): Partial<C> | { reply: Refusal } =>
    replyingRefusals(() => decide(context, event));
  const action = assign<C, E, undefined, E, never>(
    ({ context, event }) => decision(context, event) as object,
  );
  decisions.set(action, decision as Decision);
  return action as Deciding<C, E>;
}

/** The decision behind an action that `decides` made. */
export function decisionOf(action: object): Decision | undefined {
  return decisions.get(action);
}
