import type { AnyStateMachine } from 'xstate';
import type { MachineChartView, StatechartView } from '../shapes.js';

/** Returns all states of a machine, and the transitions between them, each with the events that make it. */
export function machineChart(machine: AnyStateMachine): MachineChartView {
  const nodes = Object.values(machine.states);
  const transitions = new Map<string, MachineChartView['transitions'][number]>();
  for (const from of nodes) {
    const own = [...from.transitions.values()].flat();
    for (const { eventType, target = [] } of [...(from.always ?? []), ...own]) {
      for (const { key: to } of target) {
        if (to === from.key) continue;
        const name = `${from.key} ${to}`;
        const { events } = transitions.get(name) ?? { events: [] };
        const all = eventType === '' ? events : [...new Set([...events, eventType])];
        transitions.set(name, { from: from.key, to, events: all });
      }
    }
  }
  return { states: nodes.map(({ key }) => key), transitions: [...transitions.values()] };
}

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
