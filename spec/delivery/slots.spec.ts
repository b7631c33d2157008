import { expect } from 'chai';
import { createSlots } from '../../src/delivery/slots.js';
import type { Slots } from '../../src/delivery/slots.js';

/** Work that ends when it is told to. */
function held(slots: Slots, receiver: string) {
  let resolve!: (value: string) => void;
  let reject!: (error: Error) => void;
  const work = new Promise<string>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { result: slots.run(receiver, () => work), resolve, reject };
}

describe('slots', () => {
  it('run the work and give its result', async () => {
    expect(await createSlots(1, 1).run('a', async () => 'done')).to.equal('done');
  });

  it('give as many places to one receiver as it may have', async () => {
    const slots = createSlots(2, 10);
    const first = held(slots, 'a');
    const second = held(slots, 'a');
    let ran = false;
    const third = slots.run('a', async () => {
      ran = true;
    });
    expect(third).to.equal(undefined);
    expect(ran).to.equal(false);
    first.resolve('x');
    second.resolve('y');
    expect(await Promise.all([first.result, second.result])).to.deep.equal(['x', 'y']);
  });

  it('of one receiver do not take those of another', async () => {
    const slots = createSlots(1, 10);
    const slow = held(slots, 'a');
    expect(await slots.run('b', async () => 'done')).to.equal('done');
    expect(slots.run('a', async () => 'done')).to.equal(undefined);
    slow.resolve('late');
    expect(await slow.result).to.equal('late');
  });

  it('are limited in total', async () => {
    const slots = createSlots(2, 3);
    const works = ['a', 'a', 'b'].map((receiver) => held(slots, receiver));
    expect(slots.run('c', async () => 'done')).to.equal(undefined);
    works[0]!.resolve('x');
    await works[0]!.result;
    expect(await slots.run('c', async () => 'done')).to.equal('done');
  });

  it('are free again when the work is done', async () => {
    const slots = createSlots(1, 1);
    for (const result of ['x', 'y', 'z']) {
      const work = held(slots, 'a');
      expect(slots.run('a', async () => 'more')).to.equal(undefined);
      work.resolve(result);
      expect(await work.result).to.equal(result);
    }
  });

  it('are free again when the work has failed, which its caller is told', async () => {
    const slots = createSlots(1, 1);
    const work = held(slots, 'a');
    work.reject(new Error('broken'));
    const failure = await work.result?.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).with.property('message', 'broken');
    expect(await slots.run('a', async () => 'done')).to.equal('done');
  });
});
