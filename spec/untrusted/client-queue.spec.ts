import { expect } from 'chai';
import { ClientQueue } from '../../src/untrusted/client-queue.js';

describe('a queue shared by clients', () => {
  const task = (client: string | undefined, name: string, bytes = 1) => ({ client, name, bytes });
  const drained = (queue: ClientQueue<ReturnType<typeof task>>): string => {
    const names: string[] = [];
    for (let next = queue.take(); next !== undefined; next = queue.take()) names.push(next.name);
    return names.join(' ');
  };

  it('serves the clients in turns, and the tasks of each in their order', () => {
    const queue = new ClientQueue<ReturnType<typeof task>>(100);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) queue.add(task(name[0], name));
    expect(drained(queue)).to.equal('a1 b1 c1 a2 b2 a3 a4');
  });

  it('limits the bytes of a client to what is free, but takes one task of any size', () => {
    const queue = new ClientQueue<ReturnType<typeof task>>(100);
    expect(queue.add(task('a', 'a1', 50))).to.equal(true);
    expect(queue.add(task('a', 'a2', 1))).to.equal(false);
    expect(queue.add(task('b', 'b1', 25))).to.equal(true);
    expect(queue.add(task('b', 'b2', 1))).to.equal(false);
    expect(queue.add(task('c', 'c1', 20))).to.equal(true);
    expect(queue.take()?.name).to.equal('a1');
    expect(queue.add(task('a', 'a3', 30))).to.equal(true);
    drained(queue);
    expect(queue.add(task('a', 'huge', 1_000))).to.equal(true);
    expect(queue.add(task('b', 'small'))).to.equal(false);
  });

  it('has no limit and no turn for tasks without a client', () => {
    const queue = new ClientQueue<ReturnType<typeof task>>(100);
    for (const name of ['1', '2', '3']) expect(queue.add(task(undefined, name, 30))).to.equal(true);
    expect(drained(queue)).to.equal('1 2 3');
  });
});
