import { expect } from 'chai';
import type { Actors } from '../../src/actors/runtime.js';
import { resumeDeliveries } from '../../src/delivery/deliveries.js';
import { actorId } from '../../src/store/port.js';
import { memoryStore } from '../actors/memory-store.js';
import { quiet } from '../actors/queue.js';

describe('the resumption of deliveries', () => {
  it('tells all that wait, few at once, and never lists their messages', async () => {
    const store = memoryStore();
    store.list = () => Promise.reject(new Error('whole documents were asked for'));
    const stored = { revision: 1, version: 1, wakeAt: 9, hot: '{}', cold: '{}', commitId: 'c' };
    const ids = Array.from({ length: 120 }, (_, i) => `delivery/t/${String(i).padStart(3, '0')}`);
    for (const id of ids) store.documents.set(id, { ...stored, state: 'waiting' });
    store.documents.set('delivery/t/x', { ...stored, state: 'dead' });
    const told: string[] = [];
    const errors: unknown[] = [];
    let underWay = 0;
    let most = 0;
    const tell = async (address: Parameters<Actors['tell']>[0]): Promise<never> => {
      told.push(actorId(address));
      most = Math.max(most, (underWay += 1));
      await quiet();
      underWay -= 1;
      return undefined as never;
    };
    const clock = { now: () => 0, random: () => 0 };
    const resumed = resumeDeliveries({ tell } as unknown as Actors, store, clock, (error) => {
      errors.push(error);
    });
    while (told.length < ids.length && errors.length === 0) await quiet();
    await resumed.close();
    expect(errors).to.deep.equal([]);
    expect(told).to.deep.equal(ids);
    expect(most).to.equal(50);
  });
});
