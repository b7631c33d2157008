import { expect } from 'chai';
import type { ShownBucket } from '../../../../src/policy/trend/shapes.js';
import { mongoOfSuite } from '../../../servers/mongodb.js';
import type { ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, cpu, okBody } from '../actions.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const FACTS = 100;
const PAUSE_MS = 28_000;

describe('a trend on two nodes with MongoDB', () => {
  const open = scenes();
  const mongo = mongoOfSuite();

  const bucketsOf = async (api: ApiClient): Promise<readonly ShownBucket[]> =>
    okBody(await api.call('GET', '/v1.0/demo/servers/web-1/trend?metric=cpu'))[
      'buckets'
    ] as unknown as readonly ShownBucket[];

  it('is the same on both, each value once, though one clock is a second behind, also after a restart', async () => {
    const settings = { MONGODB_URL: mongo.database() };
    const clock = { now: NOON };
    const nodes = [
      await open.service(settings, () => clock.now),
      await open.service(settings, () => clock.now - 1_000),
    ] as const;
    await addSubscribedRule(nodes[0].api, 'web-1', 'http://127.0.0.1:9/');
    for (let i = 0; i < FACTS; i += 1) {
      clock.now = NOON + i * PAUSE_MS;
      await cpu(nodes[i % 2]!.api, 'web-1', i);
      if (i % 9 > 0) continue;
      const [one, other] = await Promise.all(nodes.map(({ api }) => bucketsOf(api)));
      expect(one).to.deep.equal(other);
      expect(one!.reduce((sum, { count }) => sum + count, 0)).to.equal(i + 1);
    }
    const buckets = await bucketsOf(nodes[0].api);
    // Of 47 minutes, all in the last hour.
    expect(buckets.map(({ at, seconds }) => [Date.parse(at), seconds])).to.deep.equal(
      Array.from({ length: 47 }, (_, i) => [NOON + i * 60_000, 60]),
    );
    const sum = buckets.reduce((all, { count, mean }) => all + count * mean, 0);
    expect(sum).to.be.closeTo((FACTS * (FACTS - 1)) / 2, 0.1);
    for (const node of nodes) await node.close();
    const later = await open.service(settings, () => clock.now);
    expect(await bucketsOf(later.api)).to.deep.equal(buckets);
  });
});
