import { expect } from 'chai';
import { inTopicOrder } from '../../src/mqtt/topic-queues.js';

describe('the messages of a topic that wait', () => {
  /** Sends payloads of these lengths, and returns the numbers of messages that were taken at once. */
  async function takenAtOnce(...lengths: readonly number[]): Promise<readonly number[]> {
    const taken: number[] = [];
    const take = inTopicOrder(async (_topic, messages) => void taken.push(messages.length), 100);
    const { signal } = new AbortController();
    const send = (length: number): Promise<void> =>
      take({ topic: 'mirzam/t/a', payload: Buffer.alloc(length), isRetained: false }, signal);
    await Promise.all(lengths.map(send));
    return taken;
  }

  it('are taken at once up to 16 KiB, so that none holds the event loop for all', async () => {
    expect(await takenAtOnce(1, ...Array.from({ length: 100 }, () => 100), 1, 1)).to.deep.equal([1, 100, 2]);
    expect(await takenAtOnce(1, 8_192, 8_192, 1, 20_000, 20_000, 5)).to.deep.equal([1, 2, 1, 1, 1, 1]);
  });

  it('are taken one by one if the topic is too long', async () => {
    const taken: number[] = [];
    const take = inTopicOrder(async (_topic, messages) => void taken.push(messages.length), 10);
    const { signal } = new AbortController();
    const send = (topic: string) => take({ topic, payload: Buffer.alloc(1), isRetained: false }, signal);
    await Promise.all(
      ['x'.repeat(10), 'x'.repeat(11)].flatMap((topic) => [send(topic), send(topic), send(topic)]),
    );
    expect(taken).to.have.members([1, 1, 1, 1, 2]);
  });
});
