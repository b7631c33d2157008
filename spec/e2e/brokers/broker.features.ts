import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { embeddedTenantId } from '../../../src/identity/embedded.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { apiClient, type ApiClient } from '../api-client.js';
import { ALWAYS, addSubscribedRule, arrived, factsIn, okBody, windowSize } from '../policy/actions.js';
import { scenes } from '../scene.js';
import { countedBy, untilCounted } from './counted.js';
import type { BrokerView, Place } from './broker-view.js';
import type { Callback } from './asked-broker.js';

const HOUR_MS = 3_600_000;
const NOBODY = 'http://127.0.0.1:9/';
const BUSY = { ...ALWAYS, condition: { cpu: { value: 85, operand: 'greater' } } };
const demo = embeddedTenantId('demo');

/** A broker of the behaviour, real or a stand-in. It may have subscriptions and entities of others. */
export interface BrokerCase {
  /** Looks at a place in it. */
  readonly at: (place?: Place) => BrokerView;
  /** Service path for a spec, if the API has them. */
  readonly path?: string;
  /** Opens its way to a service. Default: it reaches the service's own address. */
  readonly openCallback?: () => Promise<Callback>;
}

/** What the service promises with a broker, seen in its windows and at the webhooks. */
export function brokerFeatures({ at, path, openCallback }: BrokerCase): void {
  const open = scenes();
  const ownTenant = () => ({ BROKER_TENANT: `spec_${randomUUID().slice(0, 8)}` });

  /** Starts a service that the broker reaches. Returns it with the address for the broker's callbacks. */
  const service = async (settings: Readonly<Record<string, string>> = {}, now?: () => number) => {
    const callback = openCallback && open.keep(await openCallback(), (way) => way.close());
    const scene = await open.service({ ...callback?.settings, ...settings }, now);
    return { ...scene, publicUrl: callback?.settings['PUBLIC_URL'] ?? scene.url };
  };

  /** A server with a subscription, in a tenant of the broker of its own unless the settings say otherwise. */
  const watched = async (settings: Readonly<Record<string, string>> = ownTenant(), now?: () => number) => {
    const tenant = settings['BROKER_TENANT'];
    const broker = at(tenant === undefined ? {} : { tenant });
    await broker.makeTenant();
    const { api } = await service({ ...broker.settings, ...settings }, now);
    const receiver = await open.receiver();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    return { broker, api, receiver, subscriptionId };
  };

  const untilHeld = (
    broker: BrokerView,
    wanted: (ids: readonly string[]) => boolean,
  ): Promise<readonly string[]> => {
    let held: readonly string[] = [];
    return eventually(
      async () => {
        held = await broker.subscriptions();
        return wanted(held) ? held : undefined;
      },
      SOON_MS,
      () => `the broker holds ${held.join()}`,
    );
  };

  it('needs no other settings: it measures, its subscription has the id of the policy, and ends with it', async () => {
    const others = await at().subscriptions();
    const { broker, api, receiver, subscriptionId } = await watched({});
    await windowSize(api, 1);
    expect(await broker.subscriptions()).to.have.members([...others, subscriptionId]);
    await broker.update('web-1', { cpuLoadPct: 97, freeSpacePct: 40 });
    expect(await untilCounted(api, 'web-1', demo, 1)).to.deep.include({ facts: 1 });
    expect(factsIn(await arrived(receiver, 1))).to.deep.equal([1]);
    okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`));
    await untilHeld(broker, (ids) => !ids.includes(subscriptionId));
  });

  it('sends every update, changed or not: seven of 97 make seven facts, and a busy server fires', async () => {
    const { broker, api, receiver } = await watched();
    for (let i = 0; i < 7; i += 1) await broker.update('web-1', { cpuLoadPct: 97 });
    const { facts, values } = await untilCounted(api, 'web-1', demo, 7);
    expect(facts).to.equal(7);
    expect(values['cpu']).to.deep.equal([97, 97, 97, 97, 97]);
    expect(factsIn(await arrived(receiver, 3))).to.deep.equal([5, 6, 7]);
  });

  it('counts an attribute once: one cpu of 97 and four updates of mem fire nothing', async () => {
    const { broker, api, receiver } = await watched();
    await broker.update('web-1', { cpuLoadPct: 97 });
    await untilCounted(api, 'web-1', demo, 1);
    // One after the other: Orion sends with several threads.
    for (const [i, usedMemPct] of [1, 1, 2, 3].entries()) {
      await broker.update('web-1', { usedMemPct });
      await untilCounted(api, 'web-1', demo, 2 + i);
    }
    const { facts, values } = await untilCounted(api, 'web-1', demo, 5);
    expect(facts).to.equal(5);
    expect(values).to.deep.include({ cpu: [97], mem: [1, 1, 2, 3] });
    expect(receiver.got).to.deep.equal([]);
  });

  it('sends the key as it is, whatever characters it has', async () => {
    const FACTS_KEY = '100%41%25;a=b"<c>\'(d)${id}$%{x}\\~|^`';
    const { broker, api } = await watched({ ...ownTenant(), FACTS_AUTH: 'key', FACTS_KEY });
    await broker.update('web-1', { cpuLoadPct: 1 });
    expect((await untilCounted(api, 'web-1', demo, 1)).facts).to.equal(1);
  });

  it('may send null or no attribute: the others count, and nothing is lost', async () => {
    const { broker, api } = await watched();
    await broker.update('web-1', { cpuLoadPct: 1, usedMemPct: 1 });
    await untilCounted(api, 'web-1', demo, 1);
    await broker.update('web-1', { cpuLoadPct: null, usedMemPct: 2 });
    await untilCounted(api, 'web-1', demo, 2);
    await broker.deleteAttribute('web-1', 'usedMemPct');
    await broker.update('web-1', { netLoadPct: 3 });
    const { facts, values } = await untilCounted(api, 'web-1', demo, 3);
    expect(facts).to.equal(3);
    expect(values).to.deep.equal({ cpu: [1], mem: [1, 2], hdd: [], net: [3] });
  });

  it('sends the metrics of METRICS, each one once', async () => {
    const settings = { ...ownTenant(), METRICS: 'tempC:-40..120' };
    const { broker, api } = await watched(settings);
    const receiver = await open.receiver();
    const hot = { ...ALWAYS, condition: { tempC: { value: 70, operand: 'greater', aggregate: 'max' } } };
    await addSubscribedRule(api, 'web-1', receiver.origin, hot);
    await windowSize(api, 2);
    // One after the other: Orion sends with several threads.
    for (const [i, tempC] of [-5, 71.5].entries()) {
      await broker.update('web-1', { tempC });
      await untilCounted(api, 'web-1', demo, 1 + i);
    }
    await broker.update('web-1', { cpuLoadPct: 1 });
    const { facts, values } = await untilCounted(api, 'web-1', demo, 3);
    expect(facts).to.equal(3);
    expect(values).to.deep.include({ cpu: [1], tempC: [-5, 71.5] });
    expect(factsIn(await arrived(receiver, 1))).to.deep.equal([2]);
  });

  it('may lose a subscription: within an hour it is made again, and feeds the same one', async () => {
    let ahead = 0;
    const { broker, api, subscriptionId } = await watched(ownTenant(), () => Date.now() + ahead);
    await broker.deleteSubscription(subscriptionId);
    expect(await broker.subscriptions()).to.deep.equal([]);
    ahead = HOUR_MS;
    await untilHeld(broker, (ids) => ids.length === 1);
    await broker.update('web-1', { cpuLoadPct: 1 });
    await untilCounted(api, 'web-1', demo, 1);
    okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`));
    await untilHeld(broker, (ids) => ids.length === 0);
  });

  it('may have one subscription for all servers, as its page shows it: each measurement counts once', async () => {
    const broker = at({ tenant: ownTenant().BROKER_TENANT });
    await broker.makeTenant();
    const { api, publicUrl } = await service();
    // The first request with a token makes the tenant known.
    await windowSize(api, 3);
    await broker.subscribeForAll(`${publicUrl}/v1.0/demo/notify`);
    const [one, two] = [broker.entityOf('web-1'), broker.entityOf('web-2')];
    await broker.update('web-1', { cpuLoadPct: 97, usedMemPct: 40 });
    for (const facts of [2, 3]) {
      await untilCounted(api, one, demo, facts - 1);
      await broker.update('web-1', { cpuLoadPct: 97 });
    }
    await broker.update('web-2', { usedMemPct: 7 });
    expect((await untilCounted(api, one, demo, 3)).values).to.deep.include({ cpu: [97, 97, 97], mem: [40] });
    expect((await untilCounted(api, two, demo, 1)).values).to.deep.include({ cpu: [], mem: [7] });
  });

  it('gets a renewal within an hour, with the present content', async () => {
    let ahead = 0;
    const { broker, subscriptionId } = await watched(ownTenant(), () => Date.now() + ahead);
    const expiry = async () => {
      const { expires, expiresAt = expires } = await broker.subscription(subscriptionId);
      return Date.parse(String(expiresAt));
    };
    const first = await expiry();
    ahead = HOUR_MS;
    let last = first;
    await eventually(
      async () => ((last = await expiry()) > first ? last : undefined),
      SOON_MS,
      () => 'it was not renewed',
    );
    expect(last - first).to.be.within(HOUR_MS - 2_000, HOUR_MS + 8_000);
    expect(await broker.subscriptions()).to.deep.equal([subscriptionId]);
  });

  it('has a tenant for each tenant, which hears of its own entities alone', async () => {
    const prefix = `s${randomUUID().slice(0, 8)}_`;
    const scene = await service({
      ...at().settings,
      BROKER_TENANT: `${prefix}{tenant}`,
      BROKER_ENTITY_TYPE: 'Machine',
      IDENTITY_USERS: 'demo:demo:demo,acme:ann:pw',
      ...(path !== undefined && { BROKER_SERVICE_PATH: path }),
    });
    const ofTenant = async (name: string, api: ApiClient) => {
      const base = `/v1.0/${name}/servers/web-1`;
      const tenant = prefix + embeddedTenantId(name);
      const broker = at({ tenant, type: 'Machine', ...(path !== undefined && { path }) });
      await broker.makeTenant();
      const { ruleId } = okBody(await api.call('POST', `${base}/rules`, ALWAYS));
      const { subscriptionId } = okBody(
        await api.call('POST', `${base}/subscription`, { ruleId, url: NOBODY }),
      );
      return { api, base, subscriptionId: String(subscriptionId), broker, id: embeddedTenantId(name) };
    };
    const one = await ofTenant('demo', scene.api);
    const two = await ofTenant('acme', await apiClient(scene.url, 'acme', 'ann', 'pw'));
    expect(await one.broker.subscriptions()).to.deep.equal([one.subscriptionId]);
    expect(await two.broker.subscriptions()).to.deep.equal([two.subscriptionId]);
    expect(await at().subscriptions()).not.to.include.oneOf([one.subscriptionId, two.subscriptionId]);

    const elsewhere = at({
      tenant: prefix + one.id,
      type: 'Machine',
      ...(path !== undefined && { path: '/' }),
    });
    if (path !== undefined) await elsewhere.update('web-1', { cpuLoadPct: 50 });
    await at({ type: 'Machine' }).update('web-1', { cpuLoadPct: 60 });
    await two.broker.update('web-1', { cpuLoadPct: 2 });
    await one.broker.update('web-1', { cpuLoadPct: 1 });
    // Orion sends notifications of two updates in any order.
    await untilCounted(one.api, 'web-1', one.id, 1);
    await one.broker.update('web-1', { cpuLoadPct: 3 });
    expect((await untilCounted(one.api, 'web-1', one.id, 2)).values['cpu']).to.deep.equal([1, 3]);
    expect((await countedBy(two.api, 'web-1', two.id)).values['cpu']).to.deep.equal([2]);

    okBody(await one.api.call('DELETE', `${one.base}/subscription/${one.subscriptionId}`));
    await untilHeld(one.broker, (ids) => ids.length === 0);
    expect(await two.broker.subscriptions()).to.deep.equal([two.subscriptionId]);
  });
}
