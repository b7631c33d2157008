import { expect } from 'chai';
import { assign, not, setup, transition } from 'xstate';
import { decides } from '../../src/actors/decides.js';
import type { ActorContext, ActorEvent } from '../../src/actors/kind.js';
import { fastTransition } from '../../src/actors/fast-transition.js';
import { Refusal } from '../../src/errors.js';

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

describe('a transition with a decision', () => {
  const step = fastTransition(
    createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { small: { always: { guard: isLarge, target: 'large' } }, large: {} },
    }),
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
    const { reply, ...rest } = step(small(), add(0))!.context;
    expect(reply).to.be.instanceOf(Refusal).and.include({ code: 'conflict' });
    expect({ ...rest, reply: undefined }).to.deep.equal(START);
  });

  it('throws what a broken decision throws', () => {
    expect(() => step(small(), add(-1))).to.throw('broken on purpose');
  });

  it('is left to XState if the new context leads to another state', () => {
    expect(step(small(), add(11))).to.equal(undefined);
  });

  it('is left to XState in an unknown state', () => {
    expect(step({ value: 'none', context: START }, add(1))).to.equal(undefined);
  });
});

describe('a fast transition is XState’s own', () => {
  const twice = decides((context: Count, { amount }: Add) => ({ count: context.count + 2 * amount }));
  const back = { guard: ({ context }: { context: Count }) => context.count < 0, target: 'small' };
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
    'where it is left again at once if the context says so': createMachine({
      ...common,
      on: { add: { target: '.large', actions: adding } },
      states: { small: {}, large: { always: back } },
    }),
  };
  for (const [what, machine] of Object.entries(machines)) {
    it(what, () => {
      const step = fastTransition(machine);
      let taken = 0;
      for (const value of Object.keys(machine.states)) {
        for (const count of [-9, 0, 5, 10, 11]) {
          for (const amount of [1, 4, 7]) {
            const at = { value, context: { ...START, count } };
            const stepped = step(at, add(amount));
            if (stepped === undefined) continue;
            taken += 1;
            const [theirs] = transition(machine, machine.resolveState(at), add(amount));
            expect(stepped, `${value} ${count} + ${amount}`).to.deep.equal({
              value: theirs.value,
              context: theirs.context,
            });
          }
        }
      }
      expect(taken).to.be.above(0);
    });
  }
});

describe('an event is left to XState', () => {
  const states = { small: {}, large: {} };
  const machines = {
    'whose guard is made of others': createMachine({
      ...common,
      on: { add: { guard: not(isLarge), actions: adding } },
      states,
    }),
    'one of whose transitions is not understood': createMachine({
      ...common,
      on: { add: [{ guard: isLarge, actions: assign({ count: 1 }) }, { actions: adding }] },
      states,
    }),
    'that leads to a state with something to do at its begin': createMachine({
      ...common,
      on: { add: { target: '.large', actions: adding } },
      states: { small: {}, large: { entry: assign({ count: 7 }) } },
    }),
    'that leads out of a state with something to do at its end': createMachine({
      ...common,
      on: { add: { target: '.large', actions: adding } },
      states: { small: { exit: assign({ count: 7 }) }, large: {} },
    }),
    'that leads to an end': createMachine({
      ...common,
      on: { add: { target: '.large', actions: adding } },
      states: { small: {}, large: { type: 'final' } },
    }),
    'that leads to a state which is left in any case': createMachine({
      ...common,
      on: { add: { target: '.large', actions: adding } },
      states: { small: {}, large: { always: { target: 'small' } } },
    }),
    'that enters its state again': createMachine({
      ...common,
      states: { small: { on: { add: { target: 'small', reenter: true, actions: adding } } } },
    }),
    'which has several actions': createMachine({
      ...common,
      on: { add: { actions: [adding, adding] } },
      states,
    }),
    'whose action is no decision': createMachine({
      ...common,
      on: { add: { actions: assign({ count: 1 }) } },
      states,
    }),
    'in a state that has states': createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { small: { initial: 'in', states: { in: {} } } },
    }),
    'in a state that is left in any case': createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { small: { always: { target: 'large' } }, large: {} },
    }),
    'in a state that answers to whatever comes': createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { small: { on: { '*': { target: 'large' } } }, large: {} },
    }),
    'where the machine as a whole leads to another state': createMachine({
      ...common,
      always: { guard: ({ context }) => context.count === 1, target: '.large' },
      on: { add: { actions: adding } },
      states,
    }),
  };
  for (const [what, machine] of Object.entries(machines)) {
    it(what, () => {
      expect(fastTransition(machine)(small(), add(1))).to.equal(undefined);
    });
  }
});
