import { expect } from 'chai';
import type { Explanation } from '../../../src/policy/explain/shapes.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { scenes } from '../scene.js';
import { addSubscribedRule, arrived, cpu, okBody, windowSize } from './actions.js';

const HOUR = 3_600;
const START = Date.parse('2026-11-21T10:00:00Z');
const BACK = START - HOUR * 1_000;
const RULE = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};
const SERVER = '/v1.0/demo/servers/web-1';

describe('a clock that is set back by an hour', () => {
  const open = scenes();

  /** A service whose clock stands still unless the spec moves it, and a receiver that answers `status`. */
  async function stage() {
    const clock = { now: START };
    const settings = { WINDOW_GAP_S: '0', DATA_DIR: await open.folder() };
    const answer = { status: 200 };
    const receiver = await open.receiver((response) => response.writeHead(answer.status).end());
    const start = () => open.service(settings, () => clock.now);
    let service = await start();
    await windowSize(service.api, 1);
    return {
      receiver,
      answer,
      get api() {
        return service.api;
      },
      /** Lets seconds pass; a negative number sets the clock back. */
      pass: (seconds: number): void => void (clock.now += seconds * 1_000),
      /** Calls `change` while the service is stopped. */
      stopped: async (change: () => void): Promise<void> => {
        await service.close();
        change();
        service = await start();
      },
      add: (rule: object) => addSubscribedRule(service.api, 'web-1', receiver.origin, { ...RULE, ...rule }),
      explained: async (ruleId: string) =>
        (okBody(await service.api.call('GET', `${SERVER}/rules/${ruleId}/explain`)) as unknown as Explanation)
          .subscriptions[0]!,
      /** Resolves once what an actor has planned is before a time, or it is delivered: a start tries deliveries early. */
      planned: (kind: string, latest: number) =>
        eventually(
          async () => {
            const path = `/operator/actors?kind=${kind}&limit=10`;
            const { actors } = okBody(await service.api.call('GET', path)) as unknown as {
              actors: { state: string; wakeAt: string | null }[];
            };
            const isDone = ({ state, wakeAt }: (typeof actors)[number]): boolean =>
              state === 'delivered' || Date.parse(wakeAt ?? '') <= latest;
            return actors.every(isDone) || undefined;
          },
          SOON_MS,
          () => `an actor of kind ${kind} waits for later than ${new Date(latest).toISOString()}`,
        ),
      states: async (count: number) =>
        (await arrived(receiver, count)).map(({ body }) => (JSON.parse(body) as { state: string }).state),
    };
  }

  it('lets a firing rule with `for` fire on, and one that is pending fire', async () => {
    const { api, add, pass, states, explained } = await stage();
    const { ruleId } = await add({ for: 60, repeat: 60 });
    await cpu(api, 'web-1', 97);
    pass(60);
    await cpu(api, 'web-1', 97);
    await states(1);
    const { since } = await explained(ruleId);
    pass(-HOUR);
    await cpu(api, 'web-1', 97);
    expect(await explained(ruleId)).to.include({ state: 'firing', since, firings: 1 });
    pass(60);
    await cpu(api, 'web-1', 97);
    expect(await states(2)).to.deep.equal(['firing', 'firing']);
    await cpu(api, 'web-1', 10);
    await cpu(api, 'web-1', 97);
    pass(-HOUR);
    await cpu(api, 'web-1', 97);
    expect(await explained(ruleId)).to.include({ state: 'pending', firings: 2 });
    pass(60);
    await cpu(api, 'web-1', 97);
    await states(3);
  });

  for (const isStopped of [false, true]) {
    const when = isStopped ? ', while the service is stopped' : '';

    it(`says that no data come${when}`, async () => {
      const scene = await stage();
      await scene.add({ noData: 60 });
      await cpu(scene.api, 'web-1', 10);
      if (isStopped) await scene.stopped(() => scene.pass(-HOUR));
      else scene.pass(-HOUR);
      await scene.planned('server', BACK + 60_000);
      scene.pass(61);
      expect(await scene.states(1)).to.deep.equal(['noData']);
    });

    it(`ends a mute${when}`, async () => {
      const scene = await stage();
      const { ruleId, subscriptionId } = await scene.add({ repeat: 0 });
      okBody(await scene.api.call('PUT', `${SERVER}/subscription/${subscriptionId}/mute`, { for: 600 }));
      if (isStopped) await scene.stopped(() => scene.pass(-HOUR));
      else scene.pass(-HOUR);
      await scene.planned('server', BACK + 600_000);
      expect((await scene.explained(ruleId)).mutedUntil).to.equal(new Date(BACK + 600_000).toISOString());
      await cpu(scene.api, 'web-1', 97);
      scene.pass(600);
      await cpu(scene.api, 'web-1', 97);
      await scene.states(1);
      expect(await scene.explained(ruleId)).to.include({ firings: 1, unsent: 1 });
    });

    it(`has a webhook tried again${when}`, async () => {
      const scene = await stage();
      await scene.add({ repeat: 0 });
      scene.answer.status = 503;
      await cpu(scene.api, 'web-1', 97);
      await scene.states(1);
      scene.answer.status = 200;
      if (isStopped) await scene.stopped(() => scene.pass(-HOUR));
      else scene.pass(-HOUR);
      await scene.planned('delivery', BACK + 1_000);
      scene.pass(2);
      await scene.states(2);
    });
  }

  it('sends no more than one `noData` for a lack of measurements, whatever the clock does', async () => {
    const { api, add, pass, states, explained } = await stage();
    const { ruleId } = await add({ noData: 60, repeat: 0 });
    await cpu(api, 'web-1', 10);
    pass(61);
    expect(await states(1)).to.deep.equal(['noData']);
    const { since } = await explained(ruleId);
    for (const seconds of [-HOUR, 61, HOUR, 61]) {
      pass(seconds);
      await eventually(
        async () => (await api.call('GET', '/health')).status === 200 || undefined,
        SOON_MS,
        () => 'no health',
      );
    }
    expect(await explained(ruleId)).to.include({ state: 'noData', since });
    await cpu(api, 'web-1', 97);
    expect(await states(2)).to.deep.equal(['noData', 'firing']);
  });
});
