import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { type Decision, decisionOf } from './deciding.js';
import type { ActorContext, ActorEvent } from './kind.js';

/** What a snapshot comes down to. */
interface At {
  readonly value: string;
  readonly context: ActorContext;
}

/** The context after an event that leaves the state as it is; undefined where the machine itself must be asked. */
export type Stay = (at: At, event: ActorEvent) => ActorContext | undefined;

type Guard = (args: { readonly context: ActorContext; readonly event: ActorEvent }) => boolean;

/** What can happen in a state without the machine. */
interface Rest {
  readonly decisions: ReadonlyMap<string, Decision>;
  /** Those of the transitions that follow from the context alone: where one holds, the state changes. */
  readonly leaves: readonly Guard[];
}

/**
 * Most events change the context and not the state. Where the machine's answer to an event is one decision (see
 * `decides`), and no `always` holds after it, the step of the machine comes to just that: taking it here spares the
 * search for states to leave and enter, which costs several times what the decision does.
 */
export function staying(machine: AnyStateMachine): Stay {
  const rests = new Map<string, Rest>();
  for (const [name, node] of Object.entries(machine.root.states)) {
    const rest = restIn(node, machine.root);
    if (rest !== undefined) rests.set(name, rest);
  }
  return ({ value, context }, event) => {
    const rest = rests.get(value);
    const decision = rest?.decisions.get(event.type);
    if (rest === undefined || decision === undefined) return undefined;
    const next: ActorContext = { ...context, ...decision(context, event) };
    for (const leaves of rest.leaves) if (leaves({ context: next, event })) return undefined;
    return next;
  };
}

/** undefined for a state of which not everything that could happen is understood here. */
function restIn(node: AnyStateNode, root: AnyStateNode): Rest | undefined {
  const always = [...(node.always ?? []), ...(root.always ?? [])];
  const leaves = always.flatMap(({ guard }) =>
    typeof guard === 'function' ? [guard as unknown as Guard] : [],
  );
  const descriptors = [...node.transitions.keys(), ...root.transitions.keys()];
  const wild = descriptors.some((descriptor) => descriptor.includes('*'));
  if (node.type !== 'atomic' || leaves.length < always.length || wild) return undefined;
  const decisions = new Map<string, Decision>();
  for (const type of descriptors) {
    const decision = soleDecision(node.transitions.get(type) ?? root.transitions.get(type)!);
    if (decision !== undefined) decisions.set(type, decision);
  }
  return { decisions, leaves };
}

/** Of several transitions the first counts: without a guard it is always the one that is taken. */
function soleDecision([transition]: readonly AnyTransitionDefinition[]): Decision | undefined {
  if (transition === undefined) return undefined;
  const { guard, target, actions } = transition;
  const [action] = actions;
  if (guard !== undefined || target !== undefined || actions.length !== 1) return undefined;
  return typeof action === 'function' ? decisionOf(action) : undefined;
}
