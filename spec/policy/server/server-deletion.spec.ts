import { expect } from 'chai';
import { BrokerUnavailable } from '../../../src/broker/port.js';
import { isKnown } from '../../../src/policy/server/broker-intents.js';
import { policyScene, type PolicyScene, withRule } from '../policy-scene.js';
import { refusedLater } from '../http/refused.js';

/** Longer than an effect that began before a deletion may take. */
const LATE_MS = 10_000;

describe('the deletion of a server that a broker feeds', () => {
  let scene: PolicyScene;
  beforeEach(async () => (scene = await policyScene()));
  afterEach(() => scene.close());

  const remove = (): Promise<void> => scene.policy.servers.remove('acme', 'web-1');
  const measure = (source: string) =>
    scene.policy.servers.facts('acme', 'web-1', { measures: [{ cpu: 90 }], times: undefined, source });
  const gone = (): Promise<void> =>
    scene.until(async () => {
      scene.now += LATE_MS;
      return (await scene.server()) === undefined;
    });

  it('ends its subscriptions at the broker', async () => {
    const { wanted } = await withRule(scene);
    await scene.add(wanted);
    await scene.add({ ...wanted, url: 'https://example.org/2' });
    await remove();
    await gone();
    expect([...scene.broker.held]).to.deep.equal([]);
  });

  it('goes on until a broker that is down has ended them; their facts do not count meanwhile', async () => {
    const { wanted } = await withRule(scene);
    const id = await scene.add(wanted);
    scene.broker.fault = new BrokerUnavailable('down', { unsettled: false });
    await remove();
    expect((await refusedLater(remove())).code).to.equal('not-found');
    expect((await refusedLater(scene.get(id))).code).to.equal('not-found');
    for (let retry = 0; retry < 3; retry += 1) {
      await scene.failed.next();
      scene.toNextRetry();
    }
    expect((await measure(id)).counted).to.equal(false);
    await scene.restart();
    expect(isKnown((await scene.server())!)).to.equal(false);

    scene.broker.fault = undefined;
    await gone();
    expect([...scene.broker.held]).to.deep.equal([]);
    expect((await measure(id)).factId).to.equal(1);
  });

  it('gives up a request for a subscription that is under way', async () => {
    const { wanted } = await withRule(scene);
    scene.broker.slow = true;
    const added = scene.add(wanted);
    const request = await scene.broker.waiting.next();
    await remove();
    request.answer();
    expect((await refusedLater(added)).code).to.equal('not-found');
    scene.broker.slow = false;
    await gone();
    expect([...scene.broker.held]).to.deep.equal([]);
  });
});
