import { expect } from 'chai';
import { StoreUnavailable } from '../../src/store/port.js';
import { memoryStore } from './stage/memory-store.js';
import { nodes, START } from './stage/nodes.js';
import { rejection } from './stage/queue.js';
import { type TallyContext, type TallyEvent, tallyKind } from './stage/tally.js';

const MI = 1024 * 1024;

describe('outgoing data', () => {
  const start = nodes();
  const begin = (store = memoryStore()) => {
    const held: (() => void)[] = [];
    const carry = ({ id: parcel }: { id: string }) =>
      new Promise<TallyEvent>((resolve) =>
        held.push(() => resolve({ type: 'performed', now: START, entryId: parcel })),
      );
    const outgoing = ({ outbox }: TallyContext): number => outbox.reduce((sum, { id }) => sum + id.length, 0);
    const kinds = [{ ...tallyKind(carry), outgoing }];
    const { actors } = start({ store, kinds, limits: { outgoing: 3 * MI } });
    const post = (tenant: string, name: string, size = MI): Promise<unknown> =>
      actors.ask({ kind: 'tally', tenant, name }, {
        type: 'post',
        now: START,
        parcel: name.padEnd(size, 'x'),
      } as TallyEvent);
    return { actors, held, post, store };
  };

  it('is bounded for a tenant, over all of its actors, and leaves room for others', async () => {
    const { actors, held, post } = begin();
    await post('acme', 'a');
    const refused = await rejection(post('acme', 'b', 1.2 * MI));
    expect(refused).to.include({ code: 'unavailable', retryAfterS: 1 });
    expect(refused.message).to.contain('nothing was done');
    await post('acme', 'small', 1_000);
    await post('other', 'c', 0.9 * MI);
    expect(await rejection(post('acme', 'd'))).to.include({ code: 'unavailable' });
    for (const carried of held) carried();
    await actors.read({ kind: 'tally', tenant: 'acme', name: 'a' });
    await post('acme', 'b', 1.2 * MI);
  });

  it('is bounded if it grows little by little', async () => {
    const { post } = begin();
    let taken = 0;
    while (
      taken < 100 &&
      (await post('acme', `a${taken}`, 100_000).then(
        () => true,
        () => false,
      ))
    )
      taken += 1;
    expect(taken * 100_000).to.be.within(1.4 * MI, 1.6 * MI);
  });

  it('is not counted if its commit fails', async () => {
    const { post, store } = begin();
    let away = true;
    store.between.commit = (_batch, apply) =>
      away ? Promise.reject(new StoreUnavailable('away')) : Promise.resolve(apply());
    for (const name of ['a', 'b', 'c']) await rejection(post('acme', name));
    away = false;
    await post('acme', 'd', 1.4 * MI);
  });

  it('is bounded if it comes all at once', async () => {
    const { post } = begin();
    const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((name) => post('acme', name)));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
  });
});
