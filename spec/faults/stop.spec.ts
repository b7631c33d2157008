import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import { startGateway } from '../chain/gateway.js';
import { startAnvil } from '../servers/chain.js';
import { apiClient } from '../e2e/api-client.js';
import { auditFacts, auditState } from './stage/audit.js';
import { client, factsBody } from './stage/clients.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { flakyReceiver } from './stage/flaky-receiver.js';
import { seeded } from './stage/random.js';
import { worldAt } from './stage/scene.js';
import { launcher, type Launcher } from './stage/service-process.js';

describe('end of the process', () => {
  const mark = randomUUID();
  let services: Launcher;

  beforeEach(async () => {
    // Unused variable, inherited by all child processes of the service.
    services = await launcher({ MIRZAM_SPEC_MARK: mark });
  });
  afterEach(() => services.close());

  it('on SIGTERM serves on while load balancers notice, if one has checked the node', async () => {
    const service = await services.start();
    const status = async (path: string) => {
      const { status, headers } = await fetch(`${service.url}${path}`);
      return [status, headers.get('connection')];
    };
    expect(await status('/health/ready')).to.deep.equal([200, 'keep-alive']);
    const begun = performance.now();
    const exit = service.kill('SIGTERM');
    await eventually(
      async () => ((await status('/health/ready'))[0] === 503 ? true : undefined),
      SOON_MS,
      () => 'it is still ready',
    );
    const all = await Promise.all(['/health', '/health/live', '/'].map(status));
    for (const one of all) expect(one).to.deep.equal([200, 'close']);
    expect(await exit).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - begun).to.be.within(3_900, 10_000);
  });

  it('on SIGTERM finishes a half-received request, accepts no new one, and exits with 0', async () => {
    const service = await services.start();
    await (await apiClient(service.url)).call('GET', '/v1.0/demo');
    const body = JSON.stringify(factsBody(1));
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.write(
      `POST /v1.0/demo/servers/slow HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await eventually(
      () => (answer.includes(' 100 ') ? true : undefined),
      SOON_MS,
      () => 'nobody reads it',
    );
    const exit = service.kill('SIGTERM');
    await eventually(
      () =>
        fetch(`${service.url}/health`).then(
          () => undefined,
          () => true,
        ),
      SOON_MS,
      () => 'it still takes connections',
    );
    socket.write(body.slice(10));
    await once(socket, 'close');
    expect(answer).to.include('HTTP/1.1 200 ').and.to.include('"id":1');
    expect(await exit).to.deep.equal({ code: 0, signal: null });
    expect(service.output()).to.include('"msg":"stopped"').and.not.to.include('"level":"error"');
  });

  it('on SIGTERM under load loses nothing that was acknowledged', async () => {
    const receiver = await flakyReceiver(seeded(50_261));
    try {
      const first = await services.start();
      const world = await worldAt([first.url], receiver.url, seeded(50_262));
      const clients = Array.from({ length: 8 }, () => client(world));
      await eventually(
        () => (receiver.counts().firings > 300 ? true : undefined),
        SOON_MS,
        () => 'few firings',
      );
      const exit = first.kill('SIGTERM');
      world.running = false;
      await Promise.all(clients);
      expect(await exit).to.deep.equal({ code: 0, signal: null });
      receiver.behave();
      world.urls = [(await services.start()).url];
      await auditState(world);
      await auditFacts(world, receiver, SOON_MS);
    } finally {
      await receiver.stop();
    }
  });

  it('on SIGINT sends nothing more to a hung node of the chain', async () => {
    const anvil = await startAnvil();
    const gateway = await startGateway(anvil.url);
    try {
      gateway.become({ passesOn: false, answers: 'silence' });
      const service = await services.start({
        LEDGER: 'on',
        CHAIN_RPC_URL: gateway.url,
        CHAIN_CONTRACT: await deployTimestamper(anvil.url),
      });
      const data = { id: 'urn:ngsi-ld:Car:1', type: 'Car' };
      const notification = { id: 'urn:notification:1', subscriptionId: 'urn:subscription:1', data };
      const { status } = await fetch(`${service.url}/ledger/notify`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(notification),
      });
      expect(status).to.equal(202);
      await gateway.untilSent(1);
      expect(await service.kill('SIGINT')).to.deep.equal({ code: 0, signal: null });
      expect(gateway.sent).to.have.length(1);
    } finally {
      await gateway.close();
      await anvil.stop();
    }
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
    it(`by ${signal} leaves no child process`, async function () {
      if (process.platform !== 'linux') return this.skip();
      const service = await services.start();
      expect(processesOf(mark)).to.include(service.pid);
      await service.kill(signal);
      await eventually(
        () => (processesOf(mark).length === 0 ? true : undefined),
        SOON_MS,
        () => `still running: ${processesOf(mark).join(', ')}`,
      );
    });
  }
});

/** Returns the ids of the processes with a mark in their environment. */
function processesOf(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'latin1').includes(mark);
      } catch {
        // Ended meanwhile, or owned by another user.
        return false;
      }
    })
    .map(Number);
}
