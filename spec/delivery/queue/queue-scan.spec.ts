import { expect } from 'chai';
import { messageId } from '../../../src/delivery/message-id.js';
import { createQueueScan } from '../../../src/delivery/queue/queue-scan.js';
import type { Queued } from '../../../src/store/port.js';

const NOW = 1_000;
const NONE: ReadonlySet<string> = new Set();

/** A scan of a queue with these deliveries, earliest first. */
function scanOf(waiting: readonly Queued[], random?: () => number) {
  const store = {
    shared: random !== undefined,
    queued: async (_queue: string, from: number, limit: number) =>
      waiting.filter(({ wakeAt }) => wakeAt >= from).slice(0, limit),
  };
  return createQueueScan(store, random ?? (() => 0));
}

describe('the scan of a queue', () => {
  const a = { id: 'a', wakeAt: NOW + 500 };
  const b = { id: 'b', wakeAt: NOW + 500 };
  const c = { id: 'c', wakeAt: NOW + 900 };

  it('treats waiting deliveries as due after a start, until all of them were tried or the time is over', async () => {
    const scan = scanOf([a, b, c]);
    expect(await scan.find('q', 2, NONE, NOW, true)).to.deep.equal({ ids: ['a', 'b'], next: NOW });
    scan.tried('q', 'a');
    scan.tried('q', 'b');
    expect(await scan.find('q', 1, NONE, NOW, true)).to.deep.equal({ ids: ['c'], next: NOW + 500 });
    expect(await scan.find('q', 1, NONE, NOW, false)).to.deep.equal({ ids: [], next: NOW + 500 });
  });

  it('picks among lines of messages at random on a shared store, and keeps the order of each', async () => {
    const of = (line: string) =>
      [1, 2].map((number) => ({ id: messageId(1, `${line}${number}`, { line, number }), wakeAt: 1 }));
    const [one, other] = [of('one'), of('other')];
    const scan = scanOf([...one, ...other], () => 0.9);
    const { ids } = await scan.find('q', 3, NONE, NOW, false);
    expect(ids).to.deep.equal([...other, one[0]!].map(({ id }) => id));
  });

  it('finds one that was not tried behind any number of tried ones, and tried ones when they are due', async () => {
    const many = Array.from({ length: 600 }, (_, n) => ({ id: `t${n}`, wakeAt: NOW + 500 }));
    const scan = scanOf([...many, c]);
    for (const { id } of many) scan.tried('q', id);
    expect(await scan.find('q', 1, NONE, NOW, true)).to.deep.equal({ ids: ['c'], next: NOW + 500 });
    expect((await scan.find('q', 1, NONE, NOW + 500, true)).ids).to.deep.equal(['t0']);
  });
});
