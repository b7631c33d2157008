import { expect } from 'chai';
import { messageId } from '../../../src/delivery/message-id.js';
import { type DeliveryFilter, listDeliveries, showDelivery } from '../../../src/operator/deliveries-view.js';
import { knownDelivery } from '../../../src/operator/delivery-routes.js';
import { findAddress } from '../../../src/operator/find-address.js';
import type { Store } from '../../../src/store/port.js';
import { commitOne, creation, loadExisting, removal } from '../../store/documents.js';
import { rejection } from '../../actors/stage/queue.js';
import type { Home, MakeHome } from '../../store/home.js';
import { ALL } from './all-deliveries.js';

const TENANTS = ['a', 'a-b', 'a0', 'b', 'z'];
const STATES = ['delivered', 'waiting', 'dead', 'sending', 'delivered'] as const;

interface Made {
  readonly id: string;
  readonly tenant: string;
  readonly state: (typeof STATES)[number] | 'blocked' | 'ending';
  readonly server: string;
}

/** Returns the commit of a delivery. */
function deliveryOf({ id, tenant, state, server }: Made) {
  const message = { channel: 'webhook', url: 'http://r.example/', body: `{"id":"${id}"}` };
  const about = { tenant, server, subscriptionId: `of-${server}`, factId: 1 };
  return creation(`delivery/${tenant}/${id}`, {
    state,
    unindexed: state === 'delivered',
    wakeAt: 1,
    queue: state === 'waiting' ? `q/${tenant}` : undefined,
    frequent: JSON.stringify({ since: 0, tries: 0, attempts: [], outbox: [], after: 'msg_before' }),
    rare: JSON.stringify({ message, about }),
  });
}

/** The newest deliveries of several tenants, in every store. */
export function newestDeliveriesFeatures(makeHome: MakeHome): void {
  let home: Home;
  let store: Store;
  let all: Made[];
  beforeEach(async () => {
    home = await makeHome();
    store = await home.open();
    // Many in one tenant, few in others, and several in one millisecond.
    all = Array.from({ length: 120 }, (_, n) => ({
      id: messageId(1_000_000_000_000 + Math.floor(n / 3), String(n)) + (n % 7 === 0 ? '_mail' : ''),
      tenant: n % 2 === 0 ? 'b' : TENANTS[n % TENANTS.length]!,
      state: STATES[n % STATES.length]!,
      server: `web-${n % 4}`,
    }));
    await store.commit(all.map(deliveryOf));
    await store.commit([creation('delivery-x/a/msg_f', {}), creation('deliver/a/msg_f', {})]);
  });
  afterEach(() => home.remove());

  const expected = (fits: (one: Made) => boolean): readonly string[] =>
    all
      .filter(fits)
      .map(({ id }) => id)
      .toSorted()
      .toReversed();

  const walk = async (filter: Partial<DeliveryFilter>, limit: number): Promise<readonly string[]> => {
    const walked: string[] = [];
    for (let before: string | undefined; ;) {
      const { items, next } = await listDeliveries(store, { ...ALL, ...filter, before, limit });
      expect(items.length).to.be.at.most(limit);
      walked.push(...items.map(({ id }) => id));
      if (next === null) return walked;
      before = next;
    }
  };

  const shown = {
    blocked: 'pending',
    waiting: 'pending',
    sending: 'pending',
    delivered: 'delivered',
    dead: 'dead',
    ending: undefined,
  } as const;
  const filters: readonly Partial<DeliveryFilter>[] = [
    {},
    ...(['pending', 'delivered', 'dead'] as const).flatMap((state) => [{ state }, { state, tenant: 'b' }]),
    { tenant: 'a-b' },
    { tenant: 'none' },
    { server: 'web-2' },
    { subscription: 'of-web-3', state: 'delivered' },
    { server: 'web-1', subscription: 'of-web-2' },
    { server: 'web-1', tenant: 'a', state: 'dead' },
  ];
  for (const filter of filters) {
    it(`are listed newest first, page by page, of ${JSON.stringify(filter)}`, async () => {
      const wanted = expected(
        (one) =>
          (filter.state ?? shown[one.state]) === shown[one.state] &&
          (filter.tenant ?? one.tenant) === one.tenant &&
          (filter.server ?? one.server) === one.server &&
          (filter.subscription ?? `of-${one.server}`) === `of-${one.server}`,
      );
      for (const limit of [1, 7, 1_000]) expect(await walk(filter, limit)).to.deep.equal(wanted);
    });
  }

  it('have the message that they wait for, and not those that are about to be deleted', async () => {
    const [waits, ends] = ['waits', 'ends'].map((name) => messageId(1_000_000_000_000, name)) as [
      string,
      string,
    ];
    await store.commit([
      deliveryOf({ id: waits, tenant: 'new', state: 'blocked', server: 'web-1' }),
      deliveryOf({ id: ends, tenant: 'new', state: 'ending', server: 'web-1' }),
    ]);
    for (const filter of [{ tenant: 'new' }, { tenant: 'new', state: 'pending' }] as const) {
      const { items } = await listDeliveries(store, { ...ALL, ...filter, limit: 10 });
      expect(items).to.have.length(1);
      expect(items[0]).to.include({
        id: waits,
        state: 'pending',
        nextAttemptAt: null,
        waitsFor: 'msg_before',
      });
    }
    expect(await showDelivery(store, ends, undefined)).to.equal(undefined);
    const [other] = all;
    expect(await showDelivery(store, other!.id, undefined)).to.include({ waitsFor: null });
  });

  it('are those of a server or subscription, whatever else has its name', async () => {
    const id = messageId(1_000_000_000_000, 'named');
    await store.commit([deliveryOf({ id, tenant: 'a', state: 'dead', server: 'of-web-3' })]);
    expect(await walk({ server: 'of-web-3' }, 10)).to.deep.equal([id]);
    expect(await walk({ subscription: 'of-web-3' }, 10)).to.deep.equal(
      expected(({ server }) => server === 'web-3'),
    );
  });

  it('have no page that lacks or repeats one while new ones come and others go', async () => {
    const known = expected(() => true);
    const walked: string[] = [];
    let time = 1_000_000_100_000;
    for (let before: string | undefined; ;) {
      const page = await listDeliveries(store, { ...ALL, before, limit: 9 });
      walked.push(...page.items.map(({ id }) => id));
      if (page.next === null) break;
      before = page.next;
      const newer = TENANTS.map((tenant): Made => {
        time += 1;
        return { id: messageId(time, tenant), tenant, state: 'waiting', server: 'new' };
      });
      await store.commit(newer.map(deliveryOf));
      // What is listed already is deleted, the cursor too.
      const { tenant } = all.find(({ id }) => id === before)!;
      const gone = `delivery/${tenant}/${before}`;
      await commitOne(store, removal(gone, await loadExisting(store, gone)));
    }
    expect(walked).to.deep.equal(known);
  });

  it('are found by id, in their tenant alone if one is given', async () => {
    for (const { id, tenant } of [all[0]!, all[1]!, all[119]!]) {
      expect(await findAddress(store, 'delivery', id)).to.deep.equal({ kind: 'delivery', tenant, name: id });
      for (const asked of [undefined, tenant]) {
        const found = await showDelivery(store, id, asked);
        expect(found).to.include({ id, tenant });
        expect(found!.message.body).to.equal(`{"id":"${id}"}`);
      }
      expect(await showDelivery(store, id, tenant === 'b' ? 'a' : 'b')).to.equal(undefined);
    }
    for (const unknown of ['msg_f', 'a/b', 'x'.repeat(2_000)]) {
      const refused = await rejection(knownDelivery(store, unknown, undefined));
      expect(refused).to.include({ code: 'not-found' });
    }
  });
}
