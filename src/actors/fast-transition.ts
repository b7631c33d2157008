import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { type Decision, decisionOf } from './decides.js';
import type { ActorContext, ActorEvent } from './kind.js';

/** The part of a snapshot that a transition needs. */
interface Position<C> {
  readonly value: string;
  readonly context: C;
}

interface TypedEvent {
  readonly type: string;
}

/** Returns the snapshot after an event; undefined if XState itself has to make the transition. */
export type Step<C, E> = (from: Position<C>, event: E) => Position<C> | undefined;

type Guard = (args: { readonly context: object; readonly event: TypedEvent }) => boolean;

/** A transition of one guard, one decision and one target at most. */
interface PlainTransition {
  readonly guard: Guard | undefined;
  readonly decision: Decision | undefined;
  /** undefined: the state stays. */
  readonly target: string | undefined;
}

/** The transitions out of a state. */
interface Transitions {
  /** By type of event, in the order in which they are tried; undefined if one of them is not plain. */
  readonly byEvent: ReadonlyMap<string, readonly PlainTransition[] | undefined>;
  /** The guards of `always`: if one holds, the state changes at once. */
  readonly always: readonly Guard[];
}

const NONE: readonly PlainTransition[] = [];

/**
 * Returns a function that makes the transitions of a machine as XState does, at a fraction of the cost: XState searches
 * for the states to leave and enter on every event. Only plain transitions between states without actions of their own
 * are made; for any other the function returns undefined.
 */
export function fastTransition<C extends object = ActorContext, E extends TypedEvent = ActorEvent>(
  machine: AnyStateMachine,
): Step<C, E> {
  const states = new Map<string, Transitions>();
  for (const [name, node] of Object.entries(machine.root.states)) {
    const transitions = transitionsOf(node, machine.root);
    if (transitions !== undefined) states.set(name, transitions);
  }
  return (from, event) => {
    const state = states.get(from.value);
    if (state === undefined) return undefined;
    const candidates = state.byEvent.has(event.type) ? state.byEvent.get(event.type) : NONE;
    if (candidates === undefined) return undefined;
    const next = firstEnabled(candidates, from, event);
    const target = next.value === from.value ? state : states.get(next.value);
    if (target === undefined) return undefined;
    for (const guard of target.always) if (guard({ context: next.context, event })) return undefined;
    return next;
  };
}

function firstEnabled<C extends object>(
  candidates: readonly PlainTransition[],
  { value, context }: Position<C>,
  event: TypedEvent,
): Position<C> {
  for (const { guard, decision, target = value } of candidates) {
    if (guard !== undefined && !guard({ context, event })) continue;
    const changed = decision === undefined ? context : { ...context, ...decision(context, event) };
    return { value: target, context: changed };
  }
  return { value, context };
}

/** Returns the transitions out of a state; undefined for a state that only XState can be in. */
function transitionsOf(node: AnyStateNode, root: AnyStateNode): Transitions | undefined {
  const immediate = [...(node.always ?? []), ...(root.always ?? [])];
  const always = immediate.flatMap(({ guard }) => (isPlain(guard) ? [guard] : []));
  const types = new Set([...node.transitions.keys(), ...root.transitions.keys()]);
  const hasWildcard = [...types].some((type) => type.includes('*'));
  if (!isQuiet(node) || always.length < immediate.length || hasWildcard) return undefined;
  const byEvent = new Map<string, readonly PlainTransition[] | undefined>();
  for (const type of types) {
    const all = [...(node.transitions.get(type) ?? []), ...(root.transitions.get(type) ?? [])].map(
      (transition) => plainTransition(transition, root),
    );
    byEvent.set(type, all.every((transition) => transition !== undefined) ? all : undefined);
  }
  return { byEvent, always };
}

/** True for a state without actions, actors and delays of its own. */
function isQuiet({ type, entry, exit, invoke, after }: AnyStateNode): boolean {
  return type === 'atomic' && [entry, exit, invoke, after].every((all) => all.length === 0);
}

/** Returns undefined for a transition that is not plain. */
function plainTransition(
  transition: AnyTransitionDefinition,
  root: AnyStateNode,
): PlainTransition | undefined {
  const { guard, target: targets = [], actions, reenter } = transition;
  const [action] = actions;
  const [target] = targets;
  const decision = typeof action === 'function' ? decisionOf(action) : undefined;
  const decides = actions.length === 0 || (actions.length === 1 && decision !== undefined);
  const leads = targets.length === 0 || (targets.length === 1 && target!.parent === root && isQuiet(target!));
  if (reenter || !decides || !leads || !(guard === undefined || isPlain(guard))) return undefined;
  return { guard, decision, target: target?.key };
}

/** False for the name of a guard, and for a guard that combines others. */
function isPlain(guard: unknown): guard is Guard {
  return typeof guard === 'function' && !('check' in guard);
}
