import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { type Decision, decisionOf, followedBy } from './decides.js';
import type { ActorContext, ActorKind } from './kind.js';

/** The part of a snapshot that a transition needs. */
interface Position<C> {
  readonly value: string;
  readonly context: C;
}

interface TypedEvent {
  readonly type: string;
}

type Guard = (args: { readonly context: object; readonly event: TypedEvent }) => boolean;

/** A transition of one guard, one decision and one target at most. */
interface PlainTransition {
  readonly guard: Guard | undefined;
  readonly decision: Decision | undefined;
  /** undefined: the state stays. */
  readonly target: string | undefined;
}

interface State {
  /** By type of event, in the order in which they are tried. */
  readonly transitions: ReadonlyMap<string, readonly PlainTransition[]>;
  /** True if the state follows from the context. */
  readonly follows: boolean;
}

const NONE: readonly PlainTransition[] = [];

/**
 * Returns the function that makes the transitions of a kind's machine, as XState does at a multiple of the cost: XState
 * searches for the states to leave and enter on every event. Throws if the machine has more than plain states, and
 * transitions of one guard, one decision and one target at most (docs/adr/0002-machines-by-transition.md). The returned
 * function throws what a guard or a decision throws.
 */
export function transitionOf<C extends object = ActorContext>({
  name,
  machine: { root },
  stateOf,
  copy = spread,
}: Pick<ActorKind, 'name' | 'machine' | 'stateOf' | 'copy'>): (
  from: Position<C>,
  event: TypedEvent,
) => Position<C> {
  const refuse = (where: string, why: string): never => {
    throw new Error(`the kind ${name} cannot run: ${where} ${why}`);
  };
  const always = followsOf(root, refuse, stateOf);
  if (root.type !== 'compound' || always) refuse('its machine', 'must be one of plain states');
  const states = new Map<string, State>();
  for (const [state, node] of Object.entries(root.states)) {
    if (node.type !== 'atomic') refuse(`the state ${state}`, `is not a plain state: it is ${node.type}`);
    const follows = followsOf(node, refuse, stateOf);
    const transitions = new Map<string, PlainTransition[]>();
    for (const type of new Set([...node.transitions.keys(), ...root.transitions.keys()])) {
      const where = `the transition of ${type} in the state ${state}`;
      if (type.includes('*')) refuse(where, 'has a wildcard');
      const all = [...(node.transitions.get(type) ?? []), ...(root.transitions.get(type) ?? [])];
      transitions.set(
        type,
        all.map((one) => plainTransition(one, root, (why) => refuse(where, why))),
      );
    }
    states.set(state, { transitions, follows });
  }

  return ({ value, context }, event) => {
    const state = states.get(value);
    if (state === undefined) throw new Error(`a ${name} has no state ${value}`);
    let next = { value, context };
    for (const { guard, decision, target = value } of state.transitions.get(event.type) ?? NONE) {
      if (guard !== undefined && !guard({ context, event })) continue;
      const after = decision ? Object.assign(copy(context as never), decision(context, event)) : context;
      next = { value: target, context: after as C };
      break;
    }
    const entered = next.value === value ? state : states.get(next.value)!;
    if (entered.follows) next.value = stateOf!(next.context as never);
    return next;
  };
}

const spread = <C extends object>(context: C): C => ({ ...context });

/** Returns true if a state follows from the context. Refuses actions, actors, delays and other `always` transitions. */
function followsOf(
  { key, entry, exit, invoke, after, always = [] }: AnyStateNode,
  refuse: (where: string, why: string) => never,
  stateOf: ActorKind['stateOf'],
): boolean {
  const where = `the state ${key}`;
  if (entry.length + exit.length > 0) refuse(where, 'has entry or exit actions');
  if (invoke.length > 0) refuse(where, 'invokes actors');
  if (after.length > 0) refuse(where, 'has delays');
  if (always.some(({ guard }) => stateOf === undefined || followedBy(guard) !== stateOf))
    refuse(where, "has `always` transitions that are not those of the kind's stateOf");
  return always.length > 0;
}

function plainTransition(
  { guard, target: targets = [], actions, reenter }: AnyTransitionDefinition,
  root: AnyStateNode,
  refuse: (why: string) => never,
): PlainTransition {
  const [action] = actions;
  const [target] = targets;
  const decision = typeof action === 'function' ? decisionOf(action) : undefined;
  // XState's own guards have a `check`.
  if (guard !== undefined && (typeof guard !== 'function' || 'check' in guard))
    refuse('has a guard that is not a function, or combines others');
  if (actions.length > 1) refuse('has several actions');
  if (action !== undefined && decision === undefined) refuse('has an action that `decides` did not make');
  if (targets.length > 1 || (target !== undefined && target.parent !== root))
    refuse('leads to more than one state');
  if (reenter) refuse('enters its state again');
  return { guard: guard as Guard | undefined, decision, target: target?.key };
}
