import { expect } from 'chai';
import fc from 'fast-check';
import { behavior, type Snapshot } from '../../src/actors/behavior.js';
import type { Stored } from '../../src/store/port.js';
import { memoryStore } from './stage/memory-store.js';
import { nodes, START, tally } from './stage/nodes.js';
import { type TallyEvent, tallyKind } from './stage/tally.js';

const now = fc.integer({ min: START, max: START + 100_000 });
const id = fc.constantFrom('p', 'q', 'r');
const event: fc.Arbitrary<TallyEvent> = fc.oneof(
  fc.record({ type: fc.constant('add'), now, amount: fc.integer({ min: -9, max: 9 }), most: fc.nat(30) }),
  fc.record({ type: fc.constant('note'), now, text: fc.string({ unit: 'grapheme' }) }),
  fc.record({ type: fc.constant('post'), now, parcel: id }),
  fc.record({ type: fc.constant('performed'), now, entryId: id }),
  fc.record({ type: fc.constant('sleep'), now, until: now }),
  fc.record({ type: fc.constant('wake'), now }),
);
const events = fc.array(event, { maxLength: 40 });

describe('a machine', () => {
  const start = nodes();
  const kind = tallyKind(() => new Promise(() => {}));
  const machine = behavior(kind);

  const stored = (snapshot: Snapshot): Stored => {
    const { frequent, rare, ...rest } = machine.document(snapshot, undefined, snapshot.context.wakeAt);
    return { ...rest, frequent: frequent!, rare: rare!, revision: 1 };
  };
  const step = (snapshot: Snapshot, told: TallyEvent): Snapshot => {
    const next = machine.next(snapshot, told);
    next.context.reply = undefined;
    return next;
  };

  it('writes the same documents for the same events, byte for byte', () => {
    fc.assert(
      fc.property(events, (told) => {
        const run = (): Stored => stored(told.reduce(step, machine.initial(tally('a'))));
        expect(run()).to.deep.equal(run());
      }),
    );
  });

  it('behaves the same when it is stored and restored after every step', () => {
    fc.assert(
      fc.property(events, (told) => {
        let kept = machine.initial(tally('a'));
        let restored = kept;
        for (const one of told) {
          const [left, right] = [machine.next(kept, one), machine.next(restored, one)];
          expect(right.context.reply).to.deep.equal(left.context.reply);
          [kept, restored] = [step(kept, one), machine.restore(stored(step(restored, one)))];
          expect(stored(restored)).to.deep.equal(stored(kept));
        }
      }),
    );
  });

  it('is replayed from its events by the runtime, but for serials, however they were grouped', async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.infiniteStream(fc.boolean()), async (told, pauses) => {
        const documents = await Promise.all(
          [false, true].map(async (paused) => {
            const store = memoryStore();
            const node = start({ store, kinds: [kind] });
            const answers: Promise<unknown>[] = [];
            for (const one of told) {
              answers.push(node.actors.ask(tally('a'), one).catch(() => undefined));
              if (paused && pauses.next().value === true) await node.look('a');
            }
            await Promise.all(answers);
            const found = store.documents.get('tally/acme/a');
            return found && [found.state, found.frequent.replaceAll(/,"serial":\d+/g, ''), found.rare];
          }),
        );
        expect(documents[1]).to.deep.equal(documents[0]);
      }),
      { numRuns: 40 },
    );
  });
});
