import { expect } from 'chai';
import { showActor } from '../../src/operator/actors-view.js';
import { createLastFaults } from '../../src/operator/last-faults.js';
import { memoryStore } from '../actors/stage/memory-store.js';

const ADDRESS = { kind: 'server', tenant: 'acme', name: 'web-1' };
const ID = 'server/acme/web-1';
const NOW = Date.parse('2026-11-21T10:00:00Z');

describe('the outbox of an actor, for operators', () => {
  /** Returns why the effects of an outbox wait. */
  async function waiting(
    outbox: readonly { id: string; type: string }[],
    wakeAt: number | undefined,
    faults = createLastFaults(() => NOW),
  ) {
    const view = {
      revision: 3,
      state: 'calm',
      wakeAt,
      context: { outbox, wakeAt, reply: undefined, factId: 1 },
    };
    const actors = { read: async () => view } as never;
    const shown = await showActor(actors, memoryStore(), ADDRESS, () => true, faults.of);
    return { whys: shown!.waiting.map(({ why }) => why), fault: shown!.fault };
  }

  it('says that an effect is being performed, or waits for the one before it', async () => {
    const effect = { id: 'a', type: 'record' };
    expect(await waiting([effect, { id: 'b', type: 'deliver' }, effect], undefined)).to.deep.equal({
      whys: [
        'It is being performed. No try of it failed on this node.',
        'It is being performed. No try of it failed on this node.',
        'It waits for the effect of the same id before it.',
      ],
      fault: null,
    });
  });

  it('says why its last try failed, and when it is tried again', async () => {
    const faults = createLastFaults(() => NOW);
    faults.add({ what: 'effect', id: ID, type: 'deliver', error: new Error('the broker does not answer') });
    faults.add({
      what: 'effect',
      id: 'server/acme/web-2',
      type: 'record',
      error: new Error('another actor'),
    });
    const { whys, fault } = await waiting([{ id: 'b', type: 'deliver' }], NOW + 5_000, faults);
    expect(whys).to.deep.equal([
      'Its last try failed at 2026-11-21T10:00:00.000Z: the broker does not answer. ' +
        'The actor wakes up at 2026-11-21T10:00:05.000Z, and tries again.',
    ]);
    expect(fault).to.deep.equal({
      what: 'effect',
      type: 'deliver',
      message: 'the broker does not answer',
      at: '2026-11-21T10:00:00.000Z',
    });
  });
});
