import { expect } from 'chai';
import { ngsi10StandIn } from '../../broker/stand-ins/ngsi10.js';
import { ngsiLdStandIn } from '../../broker/stand-ins/ngsi-ld.js';
import { ngsiv2StandIn } from '../../broker/stand-ins/ngsiv2.js';
import type { BrokerStandIn } from '../../broker/stand-ins/stand-in.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import type { ApiClient } from '../api-client.js';
import {
  addGeneric,
  addRule,
  arrived,
  cpu,
  factsIn,
  firedIn,
  subscribe,
  okBody,
  addSubscribedRule,
  windowSize,
} from './actions.js';
import { expectRefusal } from '../refusal.js';
import { type Scene, scenes } from '../scene.js';

const BROKERS = {
  ngsi10: { start: ngsi10StandIn, urn: '' },
  ngsiv2: { start: ngsiv2StandIn, urn: '' },
  'ngsi-ld': { start: ngsiLdStandIn, urn: 'urn:ngsi-ld:Subscription:' },
} as const;

const SUBSCRIPTION = '/v1.0/demo/servers/web-1/subscription';

for (const [name, { start, urn }] of Object.entries(BROKERS)) {
  describe(`with a context broker that speaks ${name}`, () => {
    const open = scenes();
    let broker: BrokerStandIn;
    let scene: Scene;
    let api: ApiClient;
    const settings = () => ({ BROKER_URL: broker.url, BROKER_API: name });
    beforeEach(async () => {
      broker = open.keep(await start(), (one) => one.close());
      scene = await open.service(settings());
      ({ api } = scene);
      await windowSize(api, 1);
    });
    const held = (): readonly string[] => broker.subscriptions().map(({ id }) => id);
    const heldAre = (wanted: readonly string[]): Promise<true> =>
      eventually(
        () => (held().join() === wanted.map((id) => urn + id).join() ? true : undefined),
        SOON_MS,
        () => `the broker holds ${held().join()}, not ${wanted.join()}`,
      );
    const notify = async (id: string, value: number): Promise<Record<string, unknown>> => {
      const { status, body } = await broker.notify(id, { cpuLoadPct: String(value), freeSpacePct: '1' });
      expect(status, body).to.equal(200);
      return JSON.parse(body) as Record<string, unknown>;
    };

    it('a subscription has the id of its broker subscription, and the broker calls operation 1', async () => {
      const receiver = await open.receiver();
      const { subscriptionId, ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin);
      const [one, ...others] = broker.subscriptions();
      expect(others).to.deep.equal([]);
      expect(one!.id).to.equal(urn + subscriptionId);
      const { id: tenantId } = new URL(one!.callback).pathname.match(/^\/v1\.0\/(?<id>[^/]+)\//)!.groups!;
      expect(one!.callback).to.equal(`${scene.url}/v1.0/${tenantId}/servers/web-1`);
      expect(one!.attributes).to.have.members(['cpuLoadPct', 'usedMemPct', 'netLoadPct', 'freeSpacePct']);
      expect(one!.entityType).to.equal('host');
      expect(one!.entityId).to.include('web-1');

      const answer = await notify(subscriptionId, 64);
      expect(answer).to.deep.equal({ id: 1, title: '1 fact taken, 1 firing' });
      const [fired] = firedIn(await arrived(receiver, 1));
      expect(fired).to.deep.include({ subscriptionId, factId: 1, measures: { cpu: 64 } });

      const again = await subscribe(api, 'web-1', ruleId, receiver.origin);
      expect(again).to.equal(subscriptionId);
      expect(broker.subscriptions()).to.have.length(1);
    });

    it('the facts of a server count once for several subscriptions, and the next one takes over', async () => {
      const receiver = await open.receiver();
      const first = await addSubscribedRule(api, 'web-1', `${receiver.origin}/first`);
      const second = await addSubscribedRule(api, 'web-1', `${receiver.origin}/second`);
      expect((await notify(first.subscriptionId, 1))['id']).to.equal(1);
      const uncounted = await notify(second.subscriptionId, 1);
      expect(uncounted['id']).to.equal(1);
      expect(uncounted['title']).to.equal(
        'nothing counted: the values of cpu and hdd come from another subscription than the one that feeds this server',
      );
      expect(factsIn(await arrived(receiver, 2))).to.deep.equal([1, 1]);

      okBody(await api.call('DELETE', `${SUBSCRIPTION}/${first.subscriptionId}`));
      expect((await notify(second.subscriptionId, 2))['id']).to.equal(2);
      expect(await cpu(api, 'web-1', 3)).to.equal(3);
      expect(factsIn(await arrived(receiver, 4))).to.deep.equal([1, 1, 2, 3]);
    });

    it('a subscription ends at the broker with itself, its rule or its generic rule', async () => {
      const url = 'http://127.0.0.1:9/';
      const kept = await addSubscribedRule(api, 'web-2', url);
      const one = await addSubscribedRule(api, 'web-1', url);
      const two = await addSubscribedRule(api, 'web-1', url);
      const genericId = await addGeneric(api);
      const three = await subscribe(api, 'web-1', genericId, url);
      const four = await subscribe(api, 'web-3', genericId, url);
      await heldAre([kept.subscriptionId, one.subscriptionId, two.subscriptionId, three, four]);
      okBody(await api.call('DELETE', `${SUBSCRIPTION}/${one.subscriptionId}`));
      await heldAre([kept.subscriptionId, two.subscriptionId, three, four]);
      okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/rules/${two.ruleId}`));
      await heldAre([kept.subscriptionId, three, four]);
      okBody(await api.call('DELETE', `/v1.0/demo/rules/${genericId}`));
      expectRefusal(await api.call('GET', `${SUBSCRIPTION}/${three}`), 404);
      await heldAre([kept.subscriptionId]);
    });

    it('that is unavailable or refuses, a subscription is 503 and nothing changes', async () => {
      const ruleId = await addRule(api, 'web-1');
      const body = { ruleId, url: 'http://127.0.0.1:9/' };
      const failures = [
        { how: 'broken' },
        { how: 'answer', status: 500, body: '{}' },
        { how: 'answer', status: 400, body: '{"error":"BadRequest"}' },
      ] as const;
      for (const failure of failures) {
        broker.failWith(failure);
        expectRefusal(await api.call('POST', SUBSCRIPTION, body), 503, 'context broker', 'nothing was done');
      }
      broker.failWith(undefined);
      expect(broker.subscriptions()).to.deep.equal([]);
      expect(await cpu(api, 'web-1', 1)).to.equal(1);
      const id = await subscribe(api, 'web-1', ruleId, body.url);
      await heldAre([id]);
    });

    it('the service asks the broker nothing for an unknown rule, and once for concurrent equal requests', async () => {
      const url = 'http://127.0.0.1:9/';
      expectRefusal(await api.call('POST', SUBSCRIPTION, { ruleId: 'nope', url }), 404, 'nope');
      expect(broker.requests).to.deep.equal([]);
      const ruleId = await addRule(api, 'web-1');
      const ids = await Promise.all(Array.from({ length: 10 }, () => subscribe(api, 'web-1', ruleId, url)));
      expect(new Set(ids).size).to.equal(1);
      await heldAre(ids.slice(0, 1));
      expect(broker.requests).to.have.length(1);
    });

    it('that is unavailable when a subscription ends, the end follows later, also after a restart', async () => {
      const DATA_DIR = await open.folder();
      const first = await open.service({ ...settings(), DATA_DIR });
      const { subscriptionId } = await addSubscribedRule(first.api, 'web-1', 'http://127.0.0.1:9/');
      broker.failWith({ how: 'broken' });
      okBody(await first.api.call('DELETE', `${SUBSCRIPTION}/${subscriptionId}`));
      expectRefusal(await first.api.call('GET', `${SUBSCRIPTION}/${subscriptionId}`), 404);
      await first.close();
      expect(held()).to.deep.equal([urn + subscriptionId]);
      broker.failWith(undefined);
      await open.service({ ...settings(), DATA_DIR });
      await heldAre([]);
    });

    if (name !== 'ngsi10') {
      it('a notification without attributes is 200, and nothing is counted', async () => {
        const { subscriptionId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
        expect(await broker.notify(subscriptionId, {})).to.deep.include({ status: 200 });
        expect((await notify(subscriptionId, 1))['id']).to.equal(1);
      });

      it('the notifications carry the key of FACTS_AUTH=key', async () => {
        const keyed = await open.service({ ...settings(), FACTS_AUTH: 'key', FACTS_KEY: 'open-sesame' });
        const receiver = await open.receiver();
        await windowSize(keyed.api, 1);
        const { subscriptionId } = await addSubscribedRule(keyed.api, 'web-1', receiver.origin);
        expect(broker.subscriptions()[0]!.headers).to.deep.equal({ 'X-Facts-Key': 'open-sesame' });
        expect((await notify(subscriptionId, 1))['id']).to.equal(1);
        expect(factsIn(await arrived(receiver, 1))).to.deep.equal([1]);
      });
    }
  });
}
