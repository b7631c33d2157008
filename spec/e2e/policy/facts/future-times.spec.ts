import { expect } from 'chai';
import type { ApiClient } from '../../api-client.js';
import { addSubscribedRule, okBody, windowSize } from '../actions.js';
import { scenes } from '../../scene.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const FUTURE = '2106-01-01T00:00:00Z';
const GENERIC = { cpu: { value: 80, operand: 'greater' }, mem: { value: 80, operand: 'greater' } };

describe('a value with a time in the future', () => {
  const open = scenes();

  const notify = async (
    api: ApiClient,
    path: string,
    values: Readonly<Record<string, readonly [value: number, observedAt: string]>>,
  ) => {
    const attributes = Object.entries(values).map(([name, [value, observedAt]]) => [
      name,
      { type: 'Property', value, observedAt },
    ]);
    const data = [{ id: 'web-1', type: 'host', ...Object.fromEntries(attributes) }];
    return okBody(await api.call('POST', path, { type: 'Notification', data }));
  };
  const windowsOf = async (api: ApiClient, ruleId: string) =>
    okBody(await api.call('GET', `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`))[
      'windows'
    ] as unknown as Record<string, { values: number[]; ignored?: object }>;
  const PATH = '/demo/servers/web-1';

  it('holds back no right value after it, also over a restart, and explain says what is left out', async () => {
    const settings = { DATA_DIR: await open.folder() };
    const clock = { now: NOON };
    const first = await open.service(settings, () => clock.now);
    await windowSize(first.api, 5);
    const { ruleId } = await addSubscribedRule(first.api, 'web-1', 'http://127.0.0.1:9/', {
      name: 'busy',
      condition: GENERIC,
      action: { actionName: 'x', operation: 'scaleUp' },
    });
    await notify(first.api, PATH, { cpuLoadPct: [97, FUTURE], usedMemPct: [5, '2026-11-21T12:00:00Z'] });
    expect(
      await notify(first.api, PATH, { cpuLoadPct: [97, FUTURE], usedMemPct: [5, '2026-11-21T11:59:00Z'] }),
    ).to.deep.equal({
      id: 1,
      title:
        'nothing counted: the value of cpu was counted before; the value of mem is older than the last one counted',
    });
    const at = new Date(NOON).toISOString();
    const ignored = {
      cpu: { count: 1, at, why: 'repeated' },
      mem: { count: 1, at, why: 'older' },
    };
    expect(await windowsOf(first.api, ruleId)).to.deep.equal({
      cpu: { size: 5, values: [97], ignored: ignored.cpu },
      mem: { size: 5, values: [5], ignored: ignored.mem },
    });
    const metrics = await first.api.call('GET', '/metrics');
    expect(metrics.text).to.contain('mirzam_values_ignored_total{reason="repeated"} 1');
    expect(metrics.text).to.contain('mirzam_values_ignored_total{reason="older"} 1');
    await first.close();

    const { api } = await open.service(settings, () => clock.now);
    expect(await windowsOf(api, ruleId)).to.deep.equal({
      cpu: { size: 5, values: [97], ignored: ignored.cpu },
      mem: { size: 5, values: [5], ignored: ignored.mem },
    });
    clock.now += 5_000;
    const right = { cpuLoadPct: [10, '2026-11-21T12:00:05Z'] } as const;
    expect(await notify(api, '/demo/notify', right)).to.deep.include({ facts: 1, servers: 1 });
    expect(await notify(api, '/demo/notify', right)).to.deep.include({ facts: 0 });
    expect((await windowsOf(api, ruleId))['cpu']).to.deep.equal({
      size: 5,
      values: [97, 10],
      ignored: { count: 1, at: new Date(clock.now).toISOString(), why: 'repeated' },
    });
  });

  it('holds back earlier ones if CLOCK_SKEW_S is 0', async () => {
    const { api } = await open.service({ CLOCK_SKEW_S: '0' });
    await windowSize(api, 5);
    await notify(api, PATH, { cpuLoadPct: [97, FUTURE] });
    expect(await notify(api, PATH, { cpuLoadPct: [10, '2026-11-21T12:00:05Z'] })).to.deep.equal({
      id: 1,
      title: 'nothing counted: the value of cpu is older than the last one counted',
    });
  });
});
