import { expect } from 'chai';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, cpu, okBody } from '../actions.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const PATH = '/v1.0/demo/servers/web-1/trend';

describe('GET …/trend', () => {
  const open = scenes();

  it('has the values of a watched metric by minute, also after a restart', async () => {
    const settings = { DATA_DIR: await open.folder() };
    const clock = { now: NOON + 59_000 };
    const first = await open.service(settings, () => clock.now);
    await addSubscribedRule(first.api, 'web-1', 'http://127.0.0.1:9/');
    await cpu(first.api, 'web-1', 10);
    await cpu(first.api, 'web-1', 20.5);
    clock.now += 1_000;
    await cpu(first.api, 'web-1', 0);
    const expected = {
      metric: 'cpu',
      buckets: [
        { at: '2026-11-21T12:00:00.000Z', seconds: 60, count: 2, mean: 15.25, min: 10, max: 20.5 },
        { at: '2026-11-21T12:01:00.000Z', seconds: 60, count: 1, mean: 0, min: 0, max: 0 },
      ],
    };
    expect(okBody(await first.api.call('GET', `${PATH}?metric=cpu`))).to.deep.equal(expected);
    await first.close();
    const second = await open.service(settings, () => clock.now);
    expect(okBody(await second.api.call('GET', `${PATH}?metric=cpu`))).to.deep.equal(expected);
  });

  it('has no bucket of a metric that no subscribed rule reads, and refuses what is not a metric', async () => {
    const { api } = await open.service({ METRICS: 'queue' });
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    await cpu(api, 'web-1', 10);
    for (const metric of ['mem', 'queue'])
      expect(okBody(await api.call('GET', `${PATH}?metric=${metric}`))).to.deep.equal({
        metric,
        buckets: [],
      });
    const allowed = 'metric: must be one of cpu, mem, hdd, net, queue';
    for (const query of ['', '?metric=', '?metric=cpuLoadPct', '?metric=constructor'])
      expectRefusal(await api.call('GET', PATH + query), 400, allowed);
    expectRefusal(await api.call('GET', `${PATH}?metric=cpu&metric=mem`), 400, 'metric: must be given once');
    expectRefusal(
      await api.call('GET', `${PATH}?metric=cpu&limit=1`),
      400,
      '"limit": is no parameter here; allowed: metric',
    );
    expect((await api.call('GET', '/v1.0/demo/servers/other/trend?metric=cpu')).status).to.equal(404);
  });

  it('has nothing with TREND=off', async () => {
    const { api } = await open.service({ TREND: 'off' });
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    await cpu(api, 'web-1', 10);
    expect(okBody(await api.call('GET', `${PATH}?metric=cpu`))).to.deep.equal({ metric: 'cpu', buckets: [] });
  });
});
