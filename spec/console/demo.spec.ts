import { expect } from 'chai';
import type { DemoView } from '../../src/console/shapes.js';
import type { FleetView } from '../../src/policy/fleet/shapes.js';
import { createDemo, DEMO_RECEIVER, type DemoOptions } from '../../src/console/demo/demo.js';
import { request } from '../e2e/api-client.js';
import { okBody } from '../e2e/policy/actions.js';
import { deliveries } from '../e2e/policy/deliveries.js';
import { expectRefusal } from '../e2e/refusal.js';
import { runService } from '../e2e/running-service.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { browserClient, DEMO } from './browser-client.js';

const PATH = '/console/api/demo';

describe('the demo of the console', () => {
  const open = scenes();

  const read = async (url: string): Promise<DemoView> =>
    okBody(await request(url + PATH, 'GET')) as unknown as DemoView;
  const start = async (url: string): Promise<DemoView> =>
    okBody(await request(url + PATH, 'POST')) as unknown as DemoView;

  it('plays a series that fires, and delivers to this service', async () => {
    const { url, api } = await open.service();
    expect(await read(url)).to.include({ running: false, sent: 0, tenantId: null, serverId: null });
    const { running, tenantId, serverId, total } = await start(url);
    expect({ running, serverId, total }).to.deep.equal({ running: true, serverId: 'demo-cpu', total: 400 });
    const again = await start(url);
    expect(again.running).to.equal(true);
    await eventually(
      async () => (await read(url)).firings > 2 || undefined,
      SOON_MS,
      () => 'nothing fired',
    );
    expect((await start(url)).sent, 'it goes on').to.be.above(again.sent);
    const servers = okBody(await request(`${url}/console/api/servers`, 'GET')) as unknown as FleetView;
    expect(servers.servers).to.have.length(1);
    expect(servers.servers[0]).to.include({ tenantId, serverId: 'demo-cpu', state: 'firing' });
    await eventually(
      async () => (await deliveries(api, 'state=delivered')).length > 2 || undefined,
      SOON_MS,
      () => 'nothing was delivered',
    );
    expect(await deliveries(api, 'state=dead')).to.deep.equal([]);
    const { rules } = okBody(await api.call('GET', '/v1.0/demo/servers/demo-cpu')) as unknown as {
      rules: unknown[];
    };
    expect(rules).to.have.length(1);
  });

  it('uses its rule again after a restart, and ends the subscription with the former address', async () => {
    const DATA_DIR = await open.folder();
    const first = await open.service({ DATA_DIR });
    await start(first.url);
    await first.close();
    const { url, api } = await open.service({ DATA_DIR });
    await start(url);
    const [server] = okBody(await request(`${url}/operator/actors?kind=server`, 'GET'))[
      'actors'
    ] as unknown as [{ tenant: string }];
    const actor = okBody(await api.call('GET', `/operator/actors/server/${server.tenant}/demo-cpu`));
    const { rules, subscriptions } = actor['context'] as unknown as {
      rules: unknown[];
      subscriptions: { url: string }[];
    };
    expect(rules).to.have.length(1);
    expect(subscriptions.map((one) => one.url)).to.deep.equal([url + DEMO_RECEIVER]);
  });

  it('is for operators', async () => {
    const { url } = await open.service();
    const tenant = await browserClient(url, DEMO);
    expectRefusal(await tenant.call('GET', PATH), 403, 'for operators');
    expectRefusal(await tenant.call('POST', PATH), 403, 'for operators');
    const headers = { origin: 'http://elsewhere.example' };
    expectRefusal(await request(url + PATH, 'POST', undefined, headers), 403);
    expect((await read(url)).running).to.equal(false);
  });

  it('does not exist in production', async () => {
    const settings = {
      NODE_ENV: 'production',
      OPERATOR_TOKEN: 'x'.repeat(40),
      IDENTITY_USERS: 'a:b:a-long-password',
    };
    const { url } = open.keep(await runService(settings), (service) => service.close());
    const headers = { authorization: `Bearer ${settings.OPERATOR_TOKEN}` };
    for (const path of [PATH, DEMO_RECEIVER]) {
      const answer = await request(url + path, 'POST', undefined, headers);
      expect(answer.status, path).to.be.oneOf([404, 405]);
    }
    const session = await request(`${url}/console/api/session`, 'GET', undefined, headers);
    expect(okBody(session)['parts']).to.include({ demo: false });
  });

  it('says why it cannot start', async () => {
    const options: DemoOptions = {
      policy: {} as never,
      tenant: { id: 't', name: 'demo' },
      localUrl: () => 'http://127.0.0.1:1',
      refuseTarget: () => 'url: not allowed here',
      onError: () => {},
    };
    const demo = createDemo(options);
    const failure = await demo.start().catch((error: unknown) => error);
    expect(String(failure)).to.include('the demo cannot start: url: not allowed here');
    expect(demo.view().running).to.equal(false);
    await demo.close();
  });
});
