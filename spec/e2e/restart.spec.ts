import { expect } from 'chai';
import type { Receiver } from '../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { request } from './api-client.js';
import {
  addGeneric,
  arrived,
  cpu,
  factsIn,
  firedIn,
  subscribe,
  okBody,
  addSubscribedRule,
  windowSize,
} from './policy/actions.js';
import { deliveries, delivery } from './policy/deliveries.js';
import { prepared, shownState } from './policy/operation-table.js';
import { type Scene, scenes } from './scene.js';

describe('a restart', () => {
  const open = scenes();
  let DATA_DIR: string;
  let first: Scene;
  beforeEach(async () => {
    DATA_DIR = await open.folder();
    first = await open.service({ DATA_DIR });
  });
  const restarted = async (settings: Readonly<Record<string, string>> = {}): Promise<Scene> => {
    await first.close();
    return open.service({ DATA_DIR, ...settings });
  };

  it('keeps everything that the interface shows, and tokens stay valid', async () => {
    const ids = await prepared(first.api);
    await first.api.call('PUT', '/v1.0/demo', { windowsize: 8 });
    const before = await shownState(first.api, ids);
    const again = await restarted();
    const shown = async (): Promise<string> =>
      (await shownState({ ...again.api, call: withToken(again.url, first.api.token) }, ids))
        .replaceAll(again.url, first.url)
        .replace(/"runningfrom":"[^"]+"/, '');
    expect(await shown()).to.equal(before.replace(/"runningfrom":"[^"]+"/, ''));
  });

  it('keeps the windows and the numbers of facts', async () => {
    const receiver = await open.receiver();
    await addSubscribedRule(first.api, 'web-1', receiver.origin);
    for (const value of [10, 20, 30, 40]) await cpu(first.api, 'web-1', value);
    const again = await restarted();
    expect(await cpu(again.api, 'web-1', 50)).to.equal(5);
    expect(firedIn(await arrived(receiver, 1))[0]).to.deep.include({ factId: 5, measures: { cpu: 30 } });
  });

  it('attempts a delivery due in an hour within ten seconds, with the same bytes and id', async () => {
    let busy = true;
    const receiver = await open.receiver((response) => {
      if (busy) response.writeHead(429, { 'retry-after': '3600' });
      response.end();
    });
    await windowSize(first.api, 1);
    await addSubscribedRule(first.api, 'web-1', receiver.origin);
    for (const value of [1, 2, 3]) await cpu(first.api, 'web-1', value);
    await eventually(
      async () => {
        const waiting = await deliveries(first.api, 'state=pending');
        const soon = waiting.filter(
          ({ nextAttemptAt: at }) => at === null || Date.parse(at) < Date.now() + 3_500_000,
        );
        return waiting.length === 3 && soon.length === 0 ? true : undefined;
      },
      SOON_MS,
      () => 'not all are waiting',
    );
    busy = false;
    const again = await restarted();
    const startedAt = performance.now();
    const got = await arrived(receiver, 6, 12_000);
    expect(performance.now() - startedAt).to.be.below(10_000);
    for (const factId of [1, 2, 3]) {
      const same = firedIn(got).flatMap((fired, i) => (fired.factId === factId ? [got[i]!] : []));
      expect(same).to.have.length(2);
      expect(
        new Set(same.map(({ body, headers }) => `${String(headers['webhook-id'])} ${body}`)).size,
      ).to.equal(1);
    }
    await delivered(again, 3);
  });

  it('during deliveries loses none and gives none a second id', async () => {
    const receivers: Receiver[] = [await open.receiver(() => undefined)];
    const { origin, port } = receivers[0]!;
    await windowSize(first.api, 1);
    await addSubscribedRule(first.api, 'web-1', origin);
    await Promise.all(Array.from({ length: 40 }, () => cpu(first.api, 'web-1', 1)));
    await arrived(receivers[0]!, 10);
    await first.close();
    await receivers[0]!.stop();
    receivers.push(await open.receiver(undefined, port));
    const again = await open.service({ DATA_DIR });
    await delivered(again, 40, 20_000);
    const got = receivers.flatMap((receiver) => receiver.got);
    expect(factsIn(receivers[1]!.got)).to.deep.equal(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(new Set(firedIn(got).map(({ factId, id }) => `${factId} ${id}`)).size).to.equal(40);
  });

  it('keeps dead letters, which can still be sent again', async () => {
    let gone = true;
    const receiver = await open.receiver((response) => response.writeHead(gone ? 410 : 200).end());
    await windowSize(first.api, 1);
    await addSubscribedRule(first.api, 'web-1', receiver.origin);
    await cpu(first.api, 'web-1', 1);
    const dead = await delivery(first.api, ({ state }) => state === 'dead');
    gone = false;
    const again = await restarted();
    expect(await deliveries(again.api)).to.deep.equal([dead]);
    okBody(await again.api.call('POST', `/operator/deliveries/${dead.tenant}/${dead.id}/redelivery`));
    await delivered(again, 1);
    expect(receiver.got).to.have.length(2);
  });

  it('completes the deletion of a generic rule that began just before it', async () => {
    const ruleId = await addGeneric(first.api);
    const paths = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const id = await subscribe(first.api, `web-${i}`, ruleId, 'http://127.0.0.1:9/');
        return `/v1.0/demo/servers/web-${i}/subscription/${id}`;
      }),
    );
    okBody(await first.api.call('DELETE', `/v1.0/demo/rules/${ruleId}`));
    const { api } = await restarted();
    for (const path of paths) expect((await api.call('GET', path)).status).to.equal(404);
    await eventually(
      async () => {
        const answers = await Promise.all(paths.map((path) => api.call('DELETE', path)));
        return answers.every(({ status }) => status === 404) ? true : undefined;
      },
      SOON_MS,
      () => 'some are still there',
    );
  });
});

/** Calls the service with a token, possibly of an earlier service. */
function withToken(url: string, token: string) {
  return (method: string, path: string, body?: unknown) =>
    request(url + path, method, body, { 'x-auth-token': token });
}

async function delivered(scene: Scene, count: number, withinMs = 12_000): Promise<void> {
  await eventually(
    async () => {
      const done = await deliveries(scene.api, 'state=delivered&limit=1000');
      return done.length === count ? true : undefined;
    },
    withinMs,
    () => `not ${count} were delivered`,
  );
  expect(await deliveries(scene.api, 'state=pending')).to.deep.equal([]);
  expect(await deliveries(scene.api, 'state=dead')).to.deep.equal([]);
}
