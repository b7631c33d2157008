import { expect } from 'chai';
import fc from 'fast-check';
import { setup } from 'xstate';
import { decides } from '../../src/actors/decides.js';
import type { ActorContext, ActorEvent, ActorKind, OutboxEntry } from '../../src/actors/kind.js';
import { performed, type PerformedEvent, removePerformed } from '../../src/actors/outbox.js';
import { holdCommits, memoryStore } from './stage/memory-store.js';
import { nodes, START } from './stage/nodes.js';
import { Queue, quiet } from './stage/queue.js';

/** An effect to perform; `number` tells it from the others of its id. */
interface Errand extends OutboxEntry {
  readonly type: 'run';
  readonly number: number;
}

interface ErrandsContext extends ActorContext {
  readonly outbox: readonly Errand[];
}

type ErrandsEvent =
  | PerformedEvent
  | (ActorEvent &
      (
        | { readonly type: 'add'; readonly id: string; readonly number: number }
        /** Removes the entries of the id. */
        | { readonly type: 'drop'; readonly id: string }
        | { readonly type: 'replace'; readonly id: string; readonly number: number }
        | { readonly type: 'wake' }
      ));
type EventOf<T extends ErrandsEvent['type']> = Extract<ErrandsEvent, { readonly type: T }>;

const without = ({ outbox }: ErrandsContext, id: string): readonly Errand[] =>
  outbox.filter((one) => one.id !== id);
const entry = ({ id, number }: { readonly id: string; readonly number: number }): Errand => ({
  id,
  type: 'run',
  number,
});

const machine = setup({
  types: { context: {} as ErrandsContext, events: {} as ErrandsEvent },
}).createMachine({
  id: 'errands',
  context: { outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'open',
  states: { open: {} },
  on: {
    add: {
      actions: decides((context: ErrandsContext, event: EventOf<'add'>) => ({
        outbox: [...context.outbox, entry(event)],
      })),
    },
    drop: {
      actions: decides((context: ErrandsContext, { id }: EventOf<'drop'>) => ({
        outbox: without(context, id),
      })),
    },
    replace: {
      actions: decides((context: ErrandsContext, event: EventOf<'replace'>) => ({
        outbox: [...without(context, event.id), entry(event)],
      })),
    },
    performed: { actions: decides(removePerformed) },
  },
});

/** A run of an effect that ends when the spec says so. */
interface Run {
  readonly entry: Errand;
  end(): void;
  fail(): void;
}

describe('outbox entries with the id of an earlier one', () => {
  const start = nodes();

  /** Starts an actor whose effects the spec ends. */
  function errands() {
    const store = memoryStore();
    const runs = new Queue<Run>();
    const run = (entry: Errand): Promise<ErrandsEvent> =>
      new Promise((resolve, reject) => {
        const end = () => resolve(performed(entry, START));
        runs.push({ entry, end, fail: () => reject(new Error('failed on purpose')) });
      });
    const kind: ActorKind = {
      name: 'errands',
      version: 1,
      machine,
      effects: { run },
    };
    const { actors, clock } = start({ store, kinds: [kind] });
    const address = { kind: 'errands', tenant: 'acme', name: 'a' };
    const open = async () =>
      (await actors.read<ErrandsContext>(address))?.context.outbox.map(({ number }) => number) ?? [];
    const ask = (event: { type: string; id?: string; number?: number }) =>
      actors.ask(address, { now: clock.now, ...event });
    return { store, runs, ask, open };
  }

  it('are performed after its run, which removes none of them: replaced', async () => {
    const { runs, ask, open } = errands();
    await ask({ type: 'add', id: 'p', number: 1 });
    const first = await runs.next();
    await ask({ type: 'replace', id: 'p', number: 2 });
    await quiet();
    expect(runs.size).to.equal(0);
    first.end();
    const second = await runs.next();
    expect([second.entry.number, await open()]).to.deep.equal([2, [2]]);
    second.end();
    await quiet();
    expect(await open()).to.deep.equal([]);
  });

  it('are performed after its run: added in the batch that removes it', async () => {
    const { store, runs, ask, open } = errands();
    await ask({ type: 'add', id: 'p', number: 1 });
    const first = await runs.next();
    const held = holdCommits(store);
    const other = ask({ type: 'add', id: 'q', number: 9 });
    const busy = await held.next();
    first.end();
    await quiet();
    const added = ask({ type: 'add', id: 'p', number: 2 });
    busy.pass();
    (await held.next()).pass();
    await Promise.all([other, added]);
    const next = [await runs.next(), await runs.next()];
    expect(next.map(({ entry: { number } }) => number)).to.have.members([9, 2]);
    expect(await open()).to.deep.equal([9, 2]);
  });

  it('are performed after its run: dropped and added again, with the same content', async () => {
    const { runs, ask, open } = errands();
    await ask({ type: 'add', id: 'p', number: 1 });
    const first = await runs.next();
    await ask({ type: 'drop', id: 'p' });
    await ask({ type: 'add', id: 'p', number: 1 });
    first.end();
    await runs.next();
    expect(await open()).to.deep.equal([1]);
  });

  it('are performed after its run, each by itself: beside it', async () => {
    const { runs, ask, open } = errands();
    await ask({ type: 'add', id: 'p', number: 1 });
    const first = await runs.next();
    await ask({ type: 'add', id: 'p', number: 2 });
    first.end();
    const second = await runs.next();
    expect([second.entry.number, await open()]).to.deep.equal([2, [2]]);
  });

  it('are not performed if they left while they waited', async () => {
    const { runs, ask } = errands();
    await ask({ type: 'add', id: 'p', number: 1 });
    const first = await runs.next();
    await ask({ type: 'replace', id: 'p', number: 2 });
    await ask({ type: 'drop', id: 'p' });
    first.end();
    await quiet();
    expect(runs.size).to.equal(0);
  });

  it('are performed after a run that failed', async () => {
    const { runs, ask } = errands();
    await ask({ type: 'add', id: 'p', number: 1 });
    const first = await runs.next();
    await ask({ type: 'replace', id: 'p', number: 2 });
    first.fail();
    expect((await runs.next()).entry.number).to.equal(2);
  });

  const id = fc.constantFrom('p', 'q');
  const step = fc.oneof(
    fc.record({ type: fc.constant('add'), id }),
    fc.record({ type: fc.constant('replace'), id }),
    fc.record({ type: fc.constant('drop'), id }),
    fc.record({ type: fc.constant('end'), pick: fc.nat() }),
    fc.record({ type: fc.constant('fail'), pick: fc.nat() }),
    fc.constant({ type: 'wake' }),
  );

  it('are all performed, one at a time, whatever comes in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 30 }), async (steps) => {
        const { runs, ask, open } = errands();
        const running: Run[] = [];
        const [due, done] = [new Map<number, string>(), new Set<number>()];
        let added = 0;
        const settle = async (): Promise<void> => {
          await quiet();
          while (runs.size > 0) running.push(await runs.next());
          const ids = running.map((one) => one.entry.id);
          expect(new Set(ids).size, 'two runs of one id').to.equal(ids.length);
        };
        const end = (pick: number, how: 'end' | 'fail'): void => {
          const [run] = running.splice(pick % running.length, 1);
          if (run === undefined) return;
          if (how === 'end') done.add(run.entry.number);
          run[how]();
        };
        const forget = (dropped: string): void => {
          for (const [number, one] of due) if (one === dropped) due.delete(number);
        };
        for (const [told, pauses] of steps) {
          if ('id' in told) {
            if (told.type !== 'add') forget(told.id);
            if (told.type !== 'drop') due.set((added += 1), told.id);
            void ask({ ...told, number: added });
          } else if ('pick' in told) end(told.pick, told.type);
          else void ask({ type: 'wake' });
          if (pauses) await settle();
        }
        for (let wakes = 0; wakes < 60 && (await open()).length > 0; wakes += 1) {
          await ask({ type: 'wake' });
          await settle();
          while (running.length > 0) end(0, 'end');
          await settle();
        }
        expect(await open()).to.deep.equal([]);
        expect([...due.keys()].filter((number) => !done.has(number))).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });
});
