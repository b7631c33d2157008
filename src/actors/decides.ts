import { assign } from 'xstate';
import { Refusal } from '../errors.js';

/** Returns what an event changes in a context. Pure: it may run twice for the same event. */
export type Decision = (context: object, event: object) => object;

const decisions = new WeakMap<object, Decision>();

/** Runs a decision; a `Refusal` that it throws changes nothing and becomes the reply. */
export function replyingRefusals<T extends object>(decide: () => T): T | { reply: Refusal } {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return { reply: error };
    throw error;
  }
}

/** An action in the configuration of a machine. */
export type Deciding<C, E> = (args: { readonly context: C; readonly event: E }) => void;

/**
 * Returns the action that applies a decision: the `assign` of XState, in a form that `fastTransition` knows. A `Refusal`
 * that the decision throws changes nothing and becomes the reply.
 */
export function decides<C extends object, E extends { readonly type: string }>(
  decide: (context: C, event: E) => Partial<C>,
): Deciding<C, E> {
  const decision = (context: C, event: E): Partial<C> | { reply: Refusal } =>
    replyingRefusals(() => decide(context, event));
  const action = assign<C, E, undefined, E, never>(
    ({ context, event }) => decision(context, event) as Partial<C>,
  );
  decisions.set(action, decision as Decision);
  return action as Deciding<C, E>;
}

/** Returns the decision of an action that `decides` made. */
export function decisionOf(action: object): Decision | undefined {
  return decisions.get(action);
}
