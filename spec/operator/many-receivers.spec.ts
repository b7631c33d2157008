import { expect } from 'chai';
import { RECEIVER, receiverAddress } from '../../src/delivery/receiver/receiver-machine.js';
import {
  createReceivers,
  type ReceiverCursor,
  type ReceiverFilter,
} from '../../src/operator/receivers/receivers-view.js';
import { actorId, type Listed, type ListQuery, type Store } from '../../src/store/port.js';

const NOON = Date.parse('2026-11-21T12:00:00Z');

/** A store with receivers: those that fail since different minutes, others that work, and some that are suspended. */
function stage(failing: number, ok: number, suspended: number) {
  const documents = new Map<string, Listed>();
  const add = (number: number, state: 'failing' | 'ok'): string => {
    const name = `rcv_${String(number).padStart(16, '0')}`;
    const id = actorId(receiverAddress(number % 2 === 0 ? 'acme' : 'demo', name));
    // The last one in the order of ids fails for longest.
    const since = NOON - number * 60_000;
    const context = { url: `https://example.org/${number}`, minutes: [], worksSince: since };
    const frequent = JSON.stringify(state === 'ok' ? context : { ...context, failing: { since } });
    documents.set(id, { id, revision: 1, version: 1, state, wakeAt: undefined, frequent, rare: '{}' });
    return name;
  };
  for (let i = 0; i < failing; i += 1) add(i, 'failing');
  const working = Array.from({ length: ok }, (_, i) => add(failing + i, 'ok'));
  const list: Store['list'] = async ({ tenant, state, after, limit }: ListQuery) => {
    const all = [...documents.values()]
      .filter((one) => one.state === state && one.id.startsWith(`${RECEIVER}/${tenant ?? ''}`))
      .filter(({ id }) => after === undefined || id > after)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return { items: all.slice(0, limit), more: all.length > limit };
  };
  const store = { list, outline: list, load: async (id: string) => documents.get(id) };
  const receivers = createReceivers({
    store,
    watch: { unstored: () => undefined },
    counts: async () => ({
      waiting: new Map(),
      suspended: new Map(
        working.slice(0, suspended).map((name) => [name, { tenant: tenantOf(name), since: NOON }]),
      ),
    }),
    now: () => NOON,
  });
  const tenantOf = (name: string): string => (Number(name.slice(4)) % 2 === 0 ? 'acme' : 'demo');

  return {
    receivers,
    /** Lets a receiver work again. */
    mend: ({ tenantId, id }: ReceiverCursor): void => {
      const key = actorId(receiverAddress(tenantId, id));
      documents.set(key, { ...documents.get(key)!, state: 'ok' });
    },
    /** Returns the states of all pages, `×` the number of each in a row, and the ids. */
    walk: async (filter: Pick<ReceiverFilter, 'state' | 'limit'>, onPage = (_next: ReceiverCursor) => {}) => {
      const seen: { readonly id: string; readonly state: string; readonly since: string }[] = [];
      for (let after: ReceiverCursor | undefined; ;) {
        const page = await receivers.list({ tenant: undefined, after, ...filter });
        seen.push(...page.receivers);
        if (page.next === undefined) return seen;
        onPage(page.next);
        after = page.next;
      }
    },
  };
}

describe('a list of many receivers', () => {
  it('has each of 2,500 that fail once, in pages, those that fail for longest first', async () => {
    const { walk, receivers } = stage(2_500, 20, 3);
    const seen = await walk({ state: 'failing', limit: 1_000 });
    expect(new Set(seen.map(({ id }) => id)).size).to.equal(2_500);
    expect(seen).to.have.length(2_500);
    expect(seen.map(({ since }) => since)).to.deep.equal(seen.map(({ since }) => since).toSorted());
    expect((await receivers.inTrouble(undefined, 50)).count).to.equal(2_503);
  });

  it('has in all states first those that are suspended, then those that fail, then the others', async () => {
    for (const limit of [3, 7, 1_000]) {
      const seen = await stage(11, 20, 3).walk({ state: undefined, limit });
      expect(
        seen.map(({ state }) => state),
        `limit ${limit}`,
      ).to.deep.equal([
        ...Array<string>(3).fill('suspended'),
        ...Array<string>(11).fill('failing'),
        ...Array<string>(17).fill('ok'),
      ]);
    }
  });

  it('goes on after a receiver that works again meanwhile', async () => {
    const { walk, mend } = stage(10, 0, 0);
    const seen = await walk({ state: 'failing', limit: 3 }, mend);
    expect(seen).to.have.length(10);
  });
});
