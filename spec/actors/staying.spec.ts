import { expect } from 'chai';
import { assign, setup } from 'xstate';
import { decides } from '../../src/actors/deciding.js';
import type { ActorContext, ActorEvent } from '../../src/actors/kind.js';
import { staying } from '../../src/actors/staying.js';
import { Refusal } from '../../src/errors.js';

interface Count extends ActorContext {
  readonly count: number;
}
type Add = ActorEvent & { readonly type: 'add'; readonly amount: number };

const START: Count = { count: 0, outbox: [], wakeAt: undefined, reply: undefined };
const add = (amount: number): Add => ({ type: 'add', now: 0, amount });

/** Adds; refuses zero, and breaks at negative amounts. */
const adding = decides((context: Count, { amount }: Add): Partial<Count> => {
  if (amount === 0) throw new Refusal('conflict', 'nothing to add');
  if (amount < 0) throw new Error('broken on purpose');
  return { count: context.count + amount, reply: amount };
});

const { createMachine } = setup({ types: { context: {} as Count, events: {} as Add } });
const isLarge = ({ context }: { context: Count }): boolean => context.count > 10;
const common = { context: START, initial: 'small' } as const;

describe('an event that leaves the state', () => {
  const stay = staying(
    createMachine({
      ...common,
      on: { add: { actions: adding } },
      states: { small: { always: { guard: isLarge, target: 'large' } }, large: {} },
    }),
  );

  it('changes the context as the decision says, and gives the reply', () => {
    expect(stay({ value: 'small', context: START }, add(4))).to.deep.equal({ ...START, count: 4, reply: 4 });
  });

  it('leaves the context that it came from as it was', () => {
    const context = Object.freeze({ ...START, count: 1 });
    stay({ value: 'small', context }, add(4));
    expect(context.count).to.equal(1);
  });

  it('changes nothing where the decision is a refusal, which is the reply', () => {
    const { reply, ...rest } = stay({ value: 'small', context: START }, add(0)) as Count;
    expect(reply).to.be.instanceOf(Refusal).and.include({ code: 'conflict' });
    expect({ ...rest, reply: undefined }).to.deep.equal(START);
  });

  it('throws what a broken decision throws', () => {
    expect(() => stay({ value: 'small', context: START }, add(-1))).to.throw('broken on purpose');
  });

  it('is decided as well in a state that nothing leads out of', () => {
    expect(stay({ value: 'large', context: START }, add(99))).to.include({ count: 99 });
  });

  it('is left to the machine where the context then leads to another state', () => {
    expect(stay({ value: 'small', context: START }, add(11))).to.equal(undefined);
  });

  it('is left to the machine in a state that it does not have, and where it is unheard of', () => {
    expect(stay({ value: 'none', context: START }, add(1))).to.equal(undefined);
    expect(stay({ value: 'small', context: START }, { type: 'wake', now: 0 })).to.equal(undefined);
  });

  it('is the one of the state, where the machine as a whole has one of that name too', () => {
    const twice = decides((context: Count, { amount }: Add) => ({ count: context.count + 2 * amount }));
    const own = staying(
      createMachine({
        ...common,
        on: { add: { actions: adding } },
        states: { small: { on: { add: { actions: twice } } } },
      }),
    );
    expect(own({ value: 'small', context: START }, add(1))).to.include({ count: 2 });
  });
});

describe('an event is left to the machine', () => {
  const states = { small: {}, large: {} };
  const machines = {
    'whose transition has a target': createMachine({
      ...common,
      on: { add: { target: '.large', actions: adding } },
      states,
    }),
    'whose transition has a guard': createMachine({
      ...common,
      on: { add: { guard: isLarge, actions: adding } },
      states,
    }),
    'which has several transitions': createMachine({
      ...common,
      on: { add: [{ guard: isLarge, actions: adding }, { actions: adding }] },
      states,
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
      expect(staying(machine)({ value: 'small', context: START }, add(1))).to.equal(undefined);
    });
  }
});
