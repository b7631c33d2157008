import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { factsBody, okBody, addSubscribedRule, windowSize } from '../actions.js';
import type { ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';

/** Returns all deliveries, page by page. */
async function allDeliveries(api: ApiClient): Promise<readonly { readonly state: string }[]> {
  const found: { readonly state: string }[] = [];
  for (let after = ''; ;) {
    const path = `/operator/actors?kind=delivery&limit=1000&after=${encodeURIComponent(after)}`;
    const page = okBody(await api.call('GET', path));
    found.push(...(page['actors'] as unknown as { state: string }[]));
    if (page['next'] === null) return found;
    after = page['next']!;
  }
}

/** Returns the value of a series in /metrics. */
async function figure(api: ApiClient, series: string): Promise<number> {
  const { text } = await api.call('GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

describe('2,000 firings of one subscription with a broken receiver', () => {
  const open = scenes();

  it('leave at most 1,000 dead letters and count the others', async () => {
    const { api } = await open.service({ DELIVERY_GIVE_UP_S: '1' });
    await windowSize(api, 1);
    const broken = await open.receiver((response) => response.writeHead(503).end());
    await addSubscribedRule(api, 'web-1', broken.origin);
    const body = factsBody(...Array.from({ length: 1_000 }, () => ({ cpuLoadPct: '90' })));
    for (let i = 0; i < 2; i += 1) {
      const answer = okBody(await api.call('POST', '/demo/servers/web-1', body));
      expect(answer['title']).to.equal('1000 facts taken, 1000 firings');
    }
    let left = '';
    await eventually(
      async () => {
        const all = await allDeliveries(api);
        const dead = all.filter(({ state }) => state === 'dead').length;
        left = `${all.length} deliveries, ${dead} of them dead`;
        return (all.length === 1_000 && dead === 1_000) || undefined;
      },
      2 * SOON_MS,
      () => left,
    );
    expect(await figure(api, 'mirzam_dead_letters_ended_total{why="limit"}')).to.equal(1_000);
    for (const what of ['poison', 'effect', 'report', 'sweep']) {
      expect(await figure(api, `mirzam_faults_total{what="${what}"}`), what).to.equal(0);
    }
  });
});
