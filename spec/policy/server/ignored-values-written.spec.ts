import { expect } from 'chai';
import type { SourceName } from '../../../src/policy/facts/facts.js';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import { SERVER } from '../../../src/policy/server/server-kind.js';
import type { FactsReply, ServerContext } from '../../../src/policy/server/server-context.js';
import { actorId } from '../../../src/store/port.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { type Node, nodes, START } from '../../actors/stage/nodes.js';
import { ADDRESS, policyKind, tenantView } from './driven-server.js';

const MINUTE = 60_000;

for (const shared of [false, true]) {
  describe(`values that were left out, on ${shared ? 'a shared' : 'an unshared'} store`, () => {
    const start = nodes();

    /** Nodes that are notified of values with times, in ms since the start. */
    const scene = () => {
      const store = memoryStore({ shared });
      const clock = { now: START };
      const on = (node: Node) => ({
        notify: (measures: Measures, times: Measures, origin?: SourceName): Promise<FactsReply> =>
          node.actors.ask(ADDRESS, {
            type: 'facts',
            now: clock.now,
            measures: [measures],
            times: [
              Object.fromEntries(
                Object.entries(times).map(([metric, time]) => [metric, (START + time!) * 1000]),
              ),
            ],
            source: undefined,
            origin,
            tenant: tenantView(),
          } as never),
        ignored: async () => (await node.actors.readCommitted<ServerContext>(ADDRESS))?.ignored?.['cpu'],
      });
      const node = () => on(start({ store, clock, kinds: [policyKind(SERVER)] }));
      return { store, clock, node };
    };

    it('are read as soon as they are answered, and written once a minute if nothing counts', async () => {
      const { store, clock, node } = scene();
      const { notify, ignored } = node();
      await notify({ cpu: 1 }, { cpu: 1 });
      for (let i = 1; i <= 180; i += 1) {
        clock.now += 1_000;
        expect((await notify({ cpu: 1 }, { cpu: 1 })).counted).to.equal(false);
        expect(await ignored()).to.deep.equal({ count: i, at: clock.now, why: 'repeated' });
      }
      expect(store.calls).to.have.length(1 + 3);
      expect(await node().ignored()).to.deep.include({ count: 121 });
    });

    it('are written with the first, and with each value that counts', async () => {
      const { store, clock, node } = scene();
      const { notify } = node();
      await notify({ cpu: 1, mem: 1 }, { cpu: 1, mem: 1 });
      await notify({ cpu: 1 }, { cpu: 1 });
      await notify({ cpu: 1 }, { cpu: 0 });
      expect(await node().ignored()).to.deep.include({ count: 1, why: 'repeated' });
      clock.now += 5;
      await notify({ cpu: 1, mem: 1 }, { cpu: 1, mem: 2 });
      expect(store.calls).to.have.length(3);
      expect(await node().ignored()).to.deep.equal({ count: 3, at: clock.now, why: 'repeated' });
      await notify({ cpu: 1 }, { cpu: 2 });
      expect(await node().ignored()).to.equal(undefined);
    });

    it('are written once if they are the first that come out of order', async () => {
      const { store, node } = scene();
      const { notify } = node();
      for (let time = 11; time <= 30; time += 1) await notify({ cpu: 1 }, { cpu: time }, 'remote-write');
      for (let time = 1; time <= 10; time += 1)
        expect((await notify({ cpu: 1 }, { cpu: time }, 'remote-write')).counted).to.equal(false);
      expect(store.calls).to.have.length(20 + 1);
    });

    it('are written by each turn at most once, and make no server known', async () => {
      const { store, node } = scene();
      const { notify } = node();
      await notify({ cpu: 1 }, { cpu: 1 });
      await Promise.all(Array.from({ length: 50 }, () => notify({ cpu: 1 }, { cpu: 1 })));
      expect(store.calls).to.have.length(2);
      expect([...store.documents.keys()]).to.deep.equal([actorId(ADDRESS)]);
    });

    it('are written again after the clock was set back', async () => {
      const { store, clock, node } = scene();
      const { notify } = node();
      await notify({ cpu: 1 }, { cpu: 1 });
      await notify({ cpu: 1 }, { cpu: 1 });
      clock.now -= 10 * MINUTE;
      for (let i = 0; i < 3; i += 1) await notify({ cpu: 1 }, { cpu: 1 });
      expect(store.calls).to.have.length(3);
    });
  });
}
