import type { AnyStateMachine } from 'xstate';
import type { StatechartView } from '../shapes.js';

/** Returns the states that follow from the context of a machine, and the transitions between them. */
export function statechartOf(machine: AnyStateMachine): StatechartView {
  const nodes = Object.values(machine.states).filter(({ always = [] }) => always.length > 0);
  return {
    states: nodes.map(({ key }) => key),
    transitions: nodes.flatMap(({ key, always = [] }) =>
      always.flatMap(({ target = [] }) => target.map((node) => ({ from: key, to: node.key }))),
    ),
  };
}
