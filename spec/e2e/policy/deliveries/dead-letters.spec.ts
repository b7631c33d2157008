import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { factsBody, okBody, addSubscribedRule, windowSize } from '../actions.js';
import type { ApiClient } from '../../api-client.js';
import { deliveries } from '../deliveries.js';
import { scenes } from '../../scene.js';

const ENDED = 'mirzam_dead_letters_ended_total';

/** Fires this number of messages of web-1. */
async function fire(api: ApiClient, count: number): Promise<void> {
  const body = factsBody(...Array.from({ length: count }, () => ({ cpuLoadPct: '90' })));
  const answer = okBody(await api.call('POST', '/demo/servers/web-1', body));
  expect(answer['title']).to.equal(`${count} facts taken, ${count} firings`);
}

async function actorsOf(api: ApiClient, kind: string): Promise<readonly unknown[]> {
  const page = okBody(await api.call('GET', `/operator/actors?kind=${kind}&limit=1000`));
  return page['actors'] as unknown as unknown[];
}

async function ended(api: ApiClient, why: string): Promise<number> {
  const { text } = await api.call('GET', '/metrics');
  return Number(new RegExp(`^${ENDED}\\{why="${why}"\\} (\\d+)$`, 'm').exec(text)![1]);
}

describe('dead letters', () => {
  const open = scenes();

  it('are deleted after their time, together with their endpoint', async () => {
    const { api } = await open.service({ DEAD_LETTER_DAYS: '0.00003' });
    await windowSize(api, 1);
    const refusing = await open.receiver((response) => response.writeHead(400).end());
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', refusing.origin);
    await fire(api, 10);
    await eventually(
      async () => (await deliveries(api, 'state=dead')).length === 10 || undefined,
      SOON_MS,
      () => 'not all are dead letters',
    );
    okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`));
    await eventually(
      async () => (await actorsOf(api, 'delivery')).length === 0 || undefined,
      SOON_MS,
      async () => `dead letters are still there: ${JSON.stringify(await deliveries(api))}`,
    );
    expect(await ended(api, 'age')).to.equal(10);
    expect(await ended(api, 'limit')).to.equal(0);
    await eventually(
      async () => (await actorsOf(api, 'endpoint')).length === 0 || undefined,
      SOON_MS,
      async () => `the endpoint is still there: ${JSON.stringify(await actorsOf(api, 'endpoint'))}`,
    );
  });
});
