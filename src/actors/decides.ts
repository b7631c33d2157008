import { assign } from 'xstate';
import { Refusal } from '../errors.js';

/** Returns what an event changes in a context. Pure: it may run twice for the same event. */
export type Decision = (context: object, event: object) => object;

/** An action in the configuration of a machine. */
export type Deciding<C, E> = (args: { readonly context: C; readonly event: E }) => void;

/**
 * Returns the action that applies a decision: the `assign` of XState, in a form that `transitionOf` knows. A `Refusal`
 * that the decision throws changes nothing and becomes the reply.
 */
export function decides<C extends object, E extends { readonly type: string }>(
  decide: (context: C, event: E) => Partial<C>,
): Deciding<C, E> {
  const decision = (context: C, event: E): Partial<C> => {
    try {
      return decide(context, event);
    } catch (error) {
      if (error instanceof Refusal) return { reply: error } as unknown as Partial<C>;
      throw error;
    }
  };
  const action = assign<C, E, undefined, E, never>(({ context, event }) => decision(context, event));
  return Object.assign(action as Deciding<C, E>, { decision });
}

/** Returns the decision of an action that `decides` made. */
export function decisionOf(action: object): Decision | undefined {
  return (action as { readonly decision?: Decision }).decision;
}

/** Returns the state of a context. */
type StateOf = (context: never) => string;

/**
 * Returns the states of a machine whose state follows from its context (`ActorKind.stateOf`): each is left as soon as
 * `stateOf` returns another one. `ends`: states that are never left.
 */
export function following<C, S extends string>(
  stateOf: (context: C) => S,
  states: readonly S[],
  ends: readonly S[] = [],
) {
  const always = [...states, ...ends].map((target) => {
    const guard = ({ context }: { readonly context: C }): boolean => stateOf(context) === target;
    return { guard: Object.assign(guard, { stateOf }), target };
  });
  const nodes = states.map((state) => [state, { always: always.filter(({ target }) => target !== state) }]);
  return Object.fromEntries(nodes) as Record<S, { readonly always: typeof always }>;
}

/** Returns the function that a guard of `following` compares with; undefined for any other guard. */
export function followedBy(guard: unknown): StateOf | undefined {
  return typeof guard === 'function' ? (guard as { readonly stateOf?: StateOf }).stateOf : undefined;
}
