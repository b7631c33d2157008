import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { healthRoutes } from '../../../src/operator/health/routes.js';
import { type Store, StoreUnavailable } from '../../../src/store/port.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { edges } from '../../http/edge.js';

const ASKING = 50;

describe('/health', () => {
  const start = edges();

  it('shares one ping of the store between concurrent requests, and sends another for a later one', async () => {
    let asked = 0;
    let answer = (_error?: Error): void => undefined;
    const ping = (): Promise<void> => {
      asked += 1;
      return new Promise((resolve, reject) => {
        answer = (error) => (error === undefined ? resolve() : reject(error));
      });
    };
    let arrived = 0;
    const { url } = await start([
      healthRoutes({
        store: { ping } as Store,
        readiness: {
          get() {
            arrived += 1;
            return 'ready';
          },
          checked: () => undefined,
        },
        dependencies: () => [],
        guard: () => undefined,
      }),
    ]);
    for (const [round, error, status] of [
      [1, undefined, 200],
      [2, new StoreUnavailable('away'), 503],
      [3, undefined, 200],
    ] as const) {
      const answers = Array.from({ length: ASKING }, () => fetch(`${url}/health`));
      const all = async () => arrived === round * ASKING || undefined;
      await eventually(all, SOON_MS, () => `${arrived} have asked`);
      expect(asked).to.equal(round);
      answer(error);
      for (const response of await Promise.all(answers)) expect(response.status).to.equal(status);
    }
  });

  const readiness = { get: () => 'ready' as const, checked: () => undefined };

  it('says to operators, and to nobody else, why the store does not answer', async () => {
    const ping = (): Promise<void> => Promise.reject(new StoreUnavailable('MongoDB at db:1 is gone'));
    let isOperator = true;
    const guard = () => {
      if (!isOperator) throw new Refusal('forbidden', 'operators only');
    };
    const { url } = await start([
      healthRoutes({ store: { ping } as Store, readiness, dependencies: () => [], guard }),
    ]);
    const said = async () => (await fetch(`${url}/health`)).text();
    expect(await said()).to.include('the database does not answer: MongoDB at db:1 is gone');
    isOperator = false;
    expect(await said()).to.include('the database does not answer; nothing was done');
  });

  it('is 503 after two seconds if the store accepts a ping and does not answer; live does not wait', async () => {
    const ping = (): Promise<void> => new Promise(() => undefined);
    const { url } = await start([
      healthRoutes({
        store: { ping } as Store,
        readiness,
        dependencies: () => [],
        guard: () => undefined,
      }),
    ]);
    const begun = performance.now();
    expect((await fetch(`${url}/health/live`)).status).to.equal(200);
    const answers = await Promise.all(['', '/ready'].map((path) => fetch(`${url}/health${path}`)));
    for (const { status } of answers) expect(status).to.equal(503);
    expect(performance.now() - begun).to.be.within(1_900, 4_500);
  });
});
