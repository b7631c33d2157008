import { expect } from 'chai';
import { createSlots } from '../../src/delivery/slots.js';
import type { SlotLimits, SlotOwner, Slots } from '../../src/delivery/slots.js';

/** Slots where only that matters which a spec names. */
const slotsOf = (limits: Partial<SlotLimits>): Slots =>
  createSlots({
    perReceiver: 100,
    perTenant: 100,
    inAll: 100,
    waitingPerReceiver: 0,
    waitingPerTenant: 100,
    waitMs: 60_000,
    ...limits,
  });

const owner = (receiver: string, tenant = 'acme'): SlotOwner => ({ receiver, tenant });

/** Work that ends when it is told to. */
function held(slots: Slots, { receiver, tenant }: SlotOwner) {
  let resolve!: (value: string) => void;
  let reject!: (error: Error) => void;
  const work = new Promise<string>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { result: slots.run(owner(receiver, tenant), () => work), resolve, reject };
}

/** What comes of work that takes no time. */
const quick = (slots: Slots, receiver: string, tenant?: string) =>
  slots.run(owner(receiver, tenant), async () => 'done');

describe('slots', () => {
  it('run the work and give its result', async () => {
    expect(await quick(slotsOf({}), 'a')).to.equal('done');
  });

  it('give as many places to one receiver as it may have', async () => {
    const slots = slotsOf({ perReceiver: 2 });
    const first = held(slots, owner('a'));
    const second = held(slots, owner('a', 'other'));
    let ran = false;
    const third = slots.run(owner('a'), async () => {
      ran = true;
    });
    expect(await third).to.equal(undefined);
    expect(ran).to.equal(false);
    first.resolve('x');
    second.resolve('y');
    expect(await Promise.all([first.result, second.result])).to.deep.equal(['x', 'y']);
  });

  it('of one receiver do not take those of another', async () => {
    const slots = slotsOf({ perReceiver: 1 });
    const slow = held(slots, owner('a'));
    expect(await quick(slots, 'b')).to.equal('done');
    expect(await quick(slots, 'a')).to.equal(undefined);
    slow.resolve('late');
    expect(await slow.result).to.equal('late');
  });

  it('of one tenant do not take those of another, however many its receivers', async () => {
    const slots = slotsOf({ perTenant: 2, inAll: 4, waitingPerReceiver: 10 });
    const works = ['a', 'b'].map((receiver) => held(slots, owner(receiver)));
    expect(await quick(slots, 'c')).to.equal(undefined);
    expect(await quick(slots, 'c', 'other')).to.equal('done');
    works[0]!.resolve('x');
    await works[0]!.result;
    expect(await quick(slots, 'c')).to.equal('done');
  });

  it('are limited in total', async () => {
    const slots = slotsOf({ inAll: 3, waitingPerReceiver: 10 });
    const works = ['a', 'a', 'b'].map((receiver) => held(slots, owner(receiver, receiver)));
    expect(await quick(slots, 'c', 'c')).to.equal(undefined);
    works[0]!.resolve('x');
    await works[0]!.result;
    expect(await quick(slots, 'c', 'c')).to.equal('done');
  });

  it('are free again when the work is done', async () => {
    const slots = slotsOf({ perReceiver: 1, perTenant: 1, inAll: 1 });
    for (const result of ['x', 'y', 'z']) {
      const work = held(slots, owner('a'));
      expect(await quick(slots, 'a')).to.equal(undefined);
      work.resolve(result);
      expect(await work.result).to.equal(result);
    }
  });

  it('are free again when the work has failed, which its caller is told', async () => {
    const slots = slotsOf({ perReceiver: 1, perTenant: 1, inAll: 1 });
    const work = held(slots, owner('a'));
    work.reject(new Error('broken'));
    const failure = await work.result.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).with.property('message', 'broken');
    expect(await quick(slots, 'a')).to.equal('done');
  });
});

describe('slots: waiting for one', () => {
  it('takes up a burst to one receiver, in the order it came', async () => {
    const slots = slotsOf({ perReceiver: 2, waitingPerReceiver: 98 });
    const order: number[] = [];
    let most = 0;
    let running = 0;
    const burst = Array.from({ length: 100 }, (_, index) =>
      slots.run(owner('a'), async () => {
        most = Math.max(most, (running += 1));
        order.push(index);
        await new Promise(setImmediate);
        running -= 1;
        return index;
      }),
    );
    const inOrder = Array.from({ length: 100 }, (_, index) => index);
    expect(await Promise.all(burst)).to.deep.equal(inOrder);
    expect(order).to.deep.equal(inOrder);
    expect(most).to.equal(2);
  });

  it('ends without the work when it takes too long', async () => {
    const slots = slotsOf({ perReceiver: 1, waitingPerReceiver: 1, waitMs: 20 });
    const slow = held(slots, owner('a'));
    expect(await quick(slots, 'a')).to.equal(undefined);
    slow.resolve('late');
    expect(await slow.result).to.equal('late');
    expect(await quick(slots, 'a')).to.equal('done');
  });

  it('is for so many of one receiver, and of one tenant over its receivers', async () => {
    const slots = slotsOf({ perReceiver: 1, waitingPerReceiver: 3, waitingPerTenant: 2 });
    const works = ['a', 'b'].map((receiver) => held(slots, owner(receiver, 'third')));
    const waiting = [quick(slots, 'a'), quick(slots, 'b'), quick(slots, 'a', 'x'), quick(slots, 'a', 'y')];
    expect(await quick(slots, 'b'), 'too many of the tenant').to.equal(undefined);
    expect(await quick(slots, 'a', 'z'), 'too many of the receiver').to.equal(undefined);
    for (const work of works) work.resolve('x');
    expect(await Promise.all(waiting)).to.deep.equal(['done', 'done', 'done', 'done']);
  });

  it('passes over those whose tenant has no slot', async () => {
    const slots = slotsOf({ perReceiver: 1, perTenant: 1, waitingPerReceiver: 2, waitMs: 200 });
    const shared = held(slots, owner('mail', 'third'));
    const first = quick(slots, 'mail', 'busy');
    const busy = held(slots, owner('hook', 'busy'));
    const second = quick(slots, 'mail', 'calm');
    shared.resolve('x');
    expect(await second).to.equal('done');
    expect(await first).to.equal(undefined);
    busy.resolve('y');
    expect(await busy.result).to.equal('y');
  });
});
