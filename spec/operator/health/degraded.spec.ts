import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { startMailServer } from '../../delivery/senders/mail-server.js';
import { startReceiver } from '../../delivery/senders/receiver.js';
import { request } from '../../e2e/api-client.js';
import { runService } from '../../e2e/running-service.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { reservedPort } from '../../servers/ports.js';
import { startRelay } from '../../servers/relay.js';
import { sharedAnvil } from '../../servers/shared-chain.js';

const SECRET = 's3cret-0f-the-address';

interface Health {
  readonly status: string;
  readonly parts?: Readonly<Record<string, { status: string; since: string; detail: string }>>;
}

describe('health of a service whose dependencies are down', () => {
  const open = scenes();
  const chain = sharedAnvil();

  it('is 200 and names them, then ok once they are there; live needs nothing', async () => {
    const anvil = chain();
    const contract = await deployTimestamper(anvil.url);
    const [chainPort, brokerPort, identityPort, mailPort] = [
      await reservedPort(),
      await reservedPort(),
      await reservedPort(),
      await reservedPort(),
    ];
    const service = await runService({
      LEDGER: 'on',
      CHAIN_RPC_URL: `http://127.0.0.1:${chainPort}/?key=${SECRET}`,
      CHAIN_CONTRACT: contract,
      BROKER_URL: `http://127.0.0.1:${brokerPort}`,
      SMTP_URL: `smtp://rules:${SECRET}@127.0.0.1:${mailPort}`,
      IDENTITY: 'jwt',
      IDENTITY_URL: `http://127.0.0.1:${identityPort}/keys`,
      IDENTITY_AUDIENCE: 'mirzam',
      IDENTITY_ISSUER: 'https://id.example.org',
    });
    open.keep(service, () => service.close());
    const { url } = service;
    const healthWith = (names: readonly string[]): Promise<Health> =>
      eventually(
        async () => {
          const answer = await request(`${url}/health`, 'GET');
          expect(answer.status, answer.text).to.equal(200);
          const health = answer.body as unknown as Health;
          return Object.keys(health.parts ?? {})
            .toSorted()
            .join() === names.join()
            ? health
            : undefined;
        },
        SOON_MS,
        async () => (await request(`${url}/health`, 'GET')).text,
      );

    const away = await healthWith(['broker', 'chain', 'identity', 'mail']);
    expect(away.status).to.equal('degraded');
    for (const [name, part] of Object.entries(away.parts!)) {
      expect(Object.keys(part), name).to.deep.equal(['status', 'since', 'detail']);
      expect(part.status, name).to.equal('away');
      expect(Date.parse(part.since), name).to.be.within(Date.now() - 60_000, Date.now());
      expect(part.detail, name).to.include('127.0.0.1:').and.not.include(SECRET).and.not.include('rules');
    }
    const stranger = await request(`${url}/health`, 'GET', undefined, { 'x-forwarded-for': '10.0.0.1' });
    for (const part of Object.values((stranger.body as unknown as Health).parts!)) {
      expect(Object.keys(part)).to.deep.equal(['status', 'since']);
    }
    expect((await request(`${url}/health/live`, 'GET')).body).to.deep.equal({ status: 'ok' });
    const ready = await request(`${url}/health/ready`, 'GET');
    expect([ready.status, ready.body['status']]).to.deep.equal([200, 'degraded']);

    const relay = await startRelay(Number(new URL(anvil.url).port), chainPort);
    open.keep(relay, () => relay.close());
    for (const port of [brokerPort, identityPort]) {
      const receiver = await startReceiver((response) => response.end('{}'), { port });
      open.keep(receiver, () => receiver.stop());
    }
    await healthWith(['mail']);
    const mail = await startMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, done) => done(null, { user: username }),
    });
    open.keep(mail, () => mail.stop());
    const mailRelay = await startRelay(mail.port, mailPort);
    open.keep(mailRelay, () => mailRelay.close());
    expect(await healthWith([])).to.deep.equal({ status: 'ok' });
  });
});
