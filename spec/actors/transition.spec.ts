import { expect } from 'chai';
import { type AnyStateMachine, assign, not, setup, transition } from 'xstate';
import { decides, following } from '../../src/actors/decides.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../src/actors/kind.js';
import { startActors } from '../../src/actors/runtime.js';
import { transitionOf } from '../../src/actors/transition.js';
import { Refusal } from '../../src/errors.js';
import { memoryStore } from './stage/memory-store.js';
import { tallyKind } from './stage/tally.js';

interface Count extends ActorContext {
  readonly count: number;
}
type Add = ActorEvent & { readonly type: 'add'; readonly amount: number };

const START: Count = { count: 0, outbox: [], wakeAt: undefined, reply: undefined };
const add = (amount: number): Add => ({ type: 'add', now: 0, amount });

/** Adds an amount; refuses zero, and throws at negative amounts. */
const adding = decides((context: Count, { amount }: Add): Partial<Count> => {
  if (amount === 0) throw new Refusal('conflict', 'nothing to add');
  if (amount < 0) throw new Error('broken on purpose');
  return { count: context.count + amount, reply: amount };
});

const { createMachine } = setup({ types: { context: {} as Count, events: {} as Add } });
const isLarge = ({ context }: { context: Count }): boolean => context.count > 10;
const common = { context: START, initial: 'small' } as const;

const small = (count = 0) => ({ value: 'small', context: { ...START, count } });

const stateOf = ({ count }: Count): 'small' | 'large' => (count > 10 ? 'large' : 'small');
const kindOf = (
  machine: AnyStateMachine,
): Pick<ActorKind, 'name' | 'machine'> & { readonly stateOf: typeof stateOf } => ({
  name: 'count',
  machine,
  stateOf,
});

describe('a transition with a decision', () => {
  const step = transitionOf<Count>(
    kindOf(
      createMachine({
        ...common,
        on: { add: { actions: adding } },
        states: following(stateOf, ['small', 'large']),
      }),
    ),
  );

  it('changes the context as the decision says, and has its reply', () => {
    expect(step(small(), add(4))).to.deep.equal({
      value: 'small',
      context: { ...START, count: 4, reply: 4 },
    });
  });

  it('leaves the previous context as it was', () => {
    const context = Object.freeze({ ...START, count: 1 });
    step({ value: 'small', context }, add(4));
    expect(context.count).to.equal(1);
  });

  it('changes nothing if the decision throws a refusal, which is the reply', () => {
    const { reply, ...rest } = step(small(), add(0)).context;
    expect(reply).to.be.instanceOf(Refusal).and.include({ code: 'conflict' });
    expect({ ...rest, reply: undefined }).to.deep.equal(START);
  });

  it('throws what a broken decision throws', () => {
    expect(() => step(small(), add(-1))).to.throw('broken on purpose');
  });

  it('has the state that follows from the new context', () => {
    expect(step(small(), add(11)).value).to.equal('large');
    expect(step({ value: 'large', context: { ...START, count: 3 } }, add(1)).value).to.equal('small');
  });

  it('throws in an unknown state', () => {
    expect(() => step({ value: 'none', context: START }, add(1))).to.throw('a count has no state none');
  });
});

describe('a transition is XState’s own', () => {
  const twice = decides((context: Count, { amount }: Add) => ({ count: context.count + 2 * amount }));
  const machines = {
    'where the state stays': createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { small: {} },
    }),
    'where it leads to another state': createMachine({
      ...common,
      on: { add: { target: '.large', actions: adding } },
      states: { small: {}, large: {} },
    }),
    'where it leads to the state that it is in': createMachine({
      ...common,
      states: { small: { on: { add: { target: 'small', actions: adding } } } },
    }),
    'where it only leads to another state': createMachine({
      ...common,
      states: { small: { on: { add: { target: 'large' } } }, large: { on: { add: 'small' } } },
    }),
    'where guards choose': createMachine({
      ...common,
      on: { add: [{ guard: isLarge, target: '.large', actions: adding }, { actions: adding }] },
      states: { small: {}, large: {} },
    }),
    'where no guard holds': createMachine({
      ...common,
      on: { add: { guard: isLarge, actions: adding } },
      states: { small: {} },
    }),
    'where the state’s own transition hides the machine’s': createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { small: { on: { add: { actions: twice } } } },
    }),
    'where the state’s own guard does not hold and the machine’s transition counts': createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { small: { on: { add: { guard: isLarge, target: 'large' } } }, large: {} },
    }),
    'where nothing is said of the event': createMachine({ ...common, states: { small: {}, large: {} } }),
    'where the state follows from the context': createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: following(stateOf, ['small', 'large']),
    }),
    'where it leads to a state that is left again at once': createMachine({
      ...common,
      on: { add: { target: '.large', actions: adding } },
      states: following(stateOf, ['small', 'large']),
    }),
    'where only one state follows from the context': createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { ...following(stateOf, ['small'], ['large']), large: {} },
    }),
  };
  for (const [what, machine] of Object.entries(machines)) {
    it(what, () => {
      const step = transitionOf<Count>(kindOf(machine));
      for (const value of Object.keys(machine.states)) {
        for (const count of [-9, 0, 5, 10, 11]) {
          for (const amount of [1, 4, 7]) {
            const at = { value, context: { ...START, count } };
            const [theirs] = transition(machine, machine.resolveState(at), add(amount));
            expect(step(at, add(amount)), `${value} ${count} + ${amount}`).to.deep.equal({
              value: theirs.value,
              context: theirs.context,
            });
          }
        }
      }
    });
  }
});

describe('a machine is refused', () => {
  const states = { small: {}, large: {} };
  const on = { add: { actions: adding } };
  const machines: Readonly<Record<string, readonly [AnyStateMachine, string]>> = {
    'with a guard that combines others': [
      createMachine({ ...common, on: { add: { guard: not(isLarge), actions: adding } }, states }),
      'the transition of add in the state small has a guard that is not a function, or combines others',
    ],
    'with the name of a guard': [
      setup({
        types: { context: {} as Count, events: {} as Add },
        guards: { isLarge },
      }).createMachine({ ...common, on: { add: { guard: 'isLarge', actions: adding } }, states }),
      'the transition of add in the state small has a guard that is not a function, or combines others',
    ],
    'with entry actions': [
      createMachine({ ...common, on, states: { small: {}, large: { entry: assign({ count: 7 }) } } }),
      'the state large has entry or exit actions',
    ],
    'with exit actions': [
      createMachine({ ...common, on, states: { small: { exit: assign({ count: 7 }) } } }),
      'the state small has entry or exit actions',
    ],
    'with delays': [
      createMachine({ ...common, on, states: { small: { after: { 10: 'large' } }, large: {} } }),
      'the state small has',
    ],
    'with a final state': [
      createMachine({ ...common, on, states: { small: {}, large: { type: 'final' } } }),
      'the state large is not a plain state: it is final',
    ],
    'with `always` transitions of its own': [
      createMachine({ ...common, on, states: { small: { always: { target: 'large' } }, large: {} } }),
      "the state small has `always` transitions that are not those of the kind's stateOf",
    ],
    'whose states follow another function than the kind’s': [
      createMachine({
        ...common,
        on,
        states: following((context: Count) => stateOf(context), ['small', 'large']),
      }),
      "the state small has `always` transitions that are not those of the kind's stateOf",
    ],
    'with `always` transitions of all states': [
      createMachine({
        ...common,
        always: { guard: ({ context }) => context.count === 1, target: '.large' },
        on,
        states,
      }),
      'has `always` transitions',
    ],
    'with a state that it enters again': [
      createMachine({
        ...common,
        states: { small: { on: { add: { target: 'small', reenter: true, actions: adding } } } },
      }),
      'the transition of add in the state small enters its state again',
    ],
    'with several actions': [
      createMachine({ ...common, on: { add: { actions: [adding, adding] } }, states }),
      'the transition of add in the state small has several actions',
    ],
    'with an action that is not a decision': [
      createMachine({
        ...common,
        on: { add: [{ guard: isLarge, actions: assign({ count: 1 }) }, { actions: adding }] },
        states,
      }),
      'the transition of add in the state small has an action that `decides` did not make',
    ],
    'with states in a state': [
      createMachine({ ...common, on, states: { small: { initial: 'in', states: { in: {} } } } }),
      'the state small is not a plain state: it is compound',
    ],
    'with a wildcard': [
      createMachine({ ...common, on, states: { small: { on: { '*': { target: 'large' } } }, large: {} } }),
      'the transition of * in the state small has a wildcard',
    ],
  };
  for (const [what, [machine, why]] of Object.entries(machines)) {
    it(what, () => {
      expect(() => transitionOf(kindOf(machine))).to.throw('the kind count cannot run: ');
      expect(() => transitionOf(kindOf(machine))).to.throw(why);
    });
  }

  it('before any actor is started', () => {
    const kind = { ...tallyKind(() => new Promise(() => {})), stateOf: undefined };
    expect(() => startActors({ store: memoryStore(), kinds: [kind] })).to.throw('the kind tally cannot run');
  });
});
