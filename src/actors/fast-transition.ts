import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { type Decision, decisionOf } from './decides.js';
import type { ActorContext, ActorEvent } from './kind.js';

/** What a snapshot comes down to. */
interface At {
  readonly value: string;
  readonly context: ActorContext;
}

/** What an event makes of a snapshot; undefined where the machine itself must be asked. */
export type Step = (at: At, event: ActorEvent) => At | undefined;

type Guard = (args: { readonly context: ActorContext; readonly event: ActorEvent }) => boolean;

/** A transition that is no more than a choice, a change of the context, and a state to be in then. */
interface Way {
  readonly guard: Guard | undefined;
  readonly decision: Decision | undefined;
  /** undefined: the same. */
  readonly target: string | undefined;
}

/** What can happen in a state without the machine. */
interface Rest {
  /** By event, in the order in which they are tried; undefined for an event of which not everything is understood. */
  readonly ways: ReadonlyMap<string, readonly Way[] | undefined>;
  /** Those of the transitions that follow from the context alone: where one holds, the state changes at once. */
  readonly leaves: readonly Guard[];
}

const NONE: readonly Way[] = [];

/**
 * Takes the step of a machine where it comes to the first transition whose guard holds, and that to one decision (see
 * `decides`) and another plain state at most: the machine's own search for states to leave and enter costs several
 * times what the decision does. The result is the machine's; where anything else could happen, it is asked.
 */
export function fastTransition(machine: AnyStateMachine): Step {
  const rests = new Map<string, Rest>();
  for (const [name, node] of Object.entries(machine.root.states)) {
    const rest = restIn(node, machine.root);
    if (rest !== undefined) rests.set(name, rest);
  }
  return (at, event) => {
    const rest = rests.get(at.value);
    if (rest === undefined) return undefined;
    const ways = rest.ways.has(event.type) ? rest.ways.get(event.type) : NONE;
    if (ways === undefined) return undefined;
    const next = taken(ways, at, event);
    const there = next.value === at.value ? rest : rests.get(next.value);
    if (there === undefined) return undefined;
    for (const leaves of there.leaves) if (leaves({ context: next.context, event })) return undefined;
    return next;
  };
}

function taken(ways: readonly Way[], { value, context }: At, event: ActorEvent): At {
  for (const { guard, decision, target = value } of ways) {
    if (guard !== undefined && !guard({ context, event })) continue;
    const changed = decision === undefined ? context : { ...context, ...decision(context, event) };
    return { value: target, context: changed };
  }
  return { value, context };
}

/** undefined for a state of which not everything that could happen is understood here. */
function restIn(node: AnyStateNode, root: AnyStateNode): Rest | undefined {
  const always = [...(node.always ?? []), ...(root.always ?? [])];
  const leaves = always.flatMap(({ guard }) => (isPlain(guard) ? [guard] : []));
  const descriptors = new Set([...node.transitions.keys(), ...root.transitions.keys()]);
  const wild = [...descriptors].some((descriptor) => descriptor.includes('*'));
  if (!isQuiet(node) || leaves.length < always.length || wild) return undefined;
  const ways = new Map<string, readonly Way[] | undefined>();
  for (const type of descriptors) {
    const all = [...(node.transitions.get(type) ?? []), ...(root.transitions.get(type) ?? [])].map(
      (transition) => wayOf(transition, root),
    );
    ways.set(type, all.every((way) => way !== undefined) ? all : undefined);
  }
  return { ways, leaves };
}

/** True for a state in which nothing happens by entering, being in or leaving it. */
function isQuiet({ type, entry, exit, invoke, after }: AnyStateNode): boolean {
  return type === 'atomic' && [entry, exit, invoke, after].every((all) => all.length === 0);
}

function wayOf(transition: AnyTransitionDefinition, root: AnyStateNode): Way | undefined {
  const { guard, target: targets = [], actions, reenter } = transition;
  const [action] = actions;
  const [target] = targets;
  const decision = typeof action === 'function' ? decisionOf(action) : undefined;
  const decides = actions.length === 0 || (actions.length === 1 && decision !== undefined);
  const leads = targets.length === 0 || (targets.length === 1 && target!.parent === root && isQuiet(target!));
  if (reenter || !decides || !leads || !(guard === undefined || isPlain(guard))) return undefined;
  return { guard, decision, target: target?.key };
}

/** False for the name of a guard, and for one that is made of others. */
function isPlain(guard: unknown): guard is Guard {
  return typeof guard === 'function' && !('check' in guard);
}
