import { expect } from 'chai';
import { openChain } from '../../src/chain/open.js';
import { emailSender } from '../../src/delivery/senders/email.js';
import { targetRules } from '../../src/delivery/senders/targets.js';
import { webhookSender } from '../../src/delivery/senders/webhook.js';
import { chainProbe, connectionProbe, httpProbe, mailProbe } from '../../src/operator/health/probes.js';
import type { Probe } from '../../src/operator/health/dependency-watch.js';
import { openMongo } from '../../src/store/mongo/mongo.js';
import { reservedPort } from '../servers/ports.js';
import { walletExchange } from '../../src/wallets/exchange.js';
import { MESSAGE } from '../delivery/senders/email-scene.js';
import { request } from '../e2e/api-client.js';
import { expectProblem } from '../e2e/ledger/problem.js';
import { building, ENTITIES, settingsFor } from '../e2e/ledger/scene.js';
import { runService } from '../e2e/running-service.js';
import { rejectionOf } from '../rejection.js';
import { EXPIRED, SELF_SIGNED, SIGNED } from './certificates.js';
import { startTlsRelay } from './tls-relay.js';
import { specSeal } from '../delivery/spec-seal.js';

/** Of an address; no reason may hold it. */
const SECRET = 's3cret-0f-the-address';

const FAULTS = {
  'an expired certificate': { cert: EXPIRED, reason: /certificate has expired/ },
  'a self-signed certificate': { cert: SELF_SIGNED, reason: /self-signed certificate .*NODE_EXTRA_CA_CERTS/ },
  'the certificate of a private authority': {
    cert: SIGNED,
    reason: /unable to verify the first certificate .*NODE_EXTRA_CA_CERTS/,
  },
  'a closed port': {
    cert: undefined,
    reason: /connection refused \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)/,
  },
} as const;

const checked = async (probe: Probe): Promise<string> =>
  (await rejectionOf(probe.check(AbortSignal.timeout(5_000)))).message;

const chainAt = async (url: string): Promise<string> => {
  const options = { gasPriceFactor: 1, gasLimit: undefined, finality: 1, now: Date.now };
  const contract = `0x${'11'.repeat(20)}` as const;
  const open = async () => void (await openChain({ url, contract, ...options }));
  return checked(chainProbe({ ping: open, contractWarning: () => undefined }, new URL(url).host));
};

/** Asks each part at a port, and returns why it cannot be used. */
const PARTS: Readonly<Record<string, (port: number) => Promise<string>>> = {
  'health of mail': (port) => checked(mailProbe(`smtps://rules:${SECRET}@127.0.0.1:${port}`, 5_000)),
  'health of the identity': (port) =>
    checked(httpProbe('identity', `https://127.0.0.1:${port}/v3?token=${SECRET}`)),
  'health of the broker': (port) =>
    checked(connectionProbe('broker', `https://127.0.0.1:${port}/v2?token=${SECRET}`)),
  'health of a chain by https': (port) => chainAt(`https://127.0.0.1:${port}/?key=${SECRET}`),
  'health of a chain by wss': (port) => chainAt(`wss://127.0.0.1:${port}/${SECRET}`),
  'an attempt to send a webhook': async (port) => {
    const sender = webhookSender({
      secrets: () => [`whsec_${btoa(SECRET)}`],
      seal: specSeal,
      targets: targetRules({ production: false, allowed: [] }),
      now: Date.now,
      userAgent: 'spec',
    });
    const url = `https://127.0.0.1:${port}/hook?key=${SECRET}`;
    const { detail } = await sender.send('msg_1', { channel: 'webhook', url, body: '{}' }, 'acme');
    await sender.close();
    return detail;
  },
  'an attempt to send a mail': async (port) => {
    const smtpUrl = `smtps://rules:${SECRET}@127.0.0.1:${port}`;
    const sender = emailSender({ smtpUrl, from: 'm@example.org', messageIdDomain: 'example.org' });
    const { detail } = await sender.send('msg_1', MESSAGE, 'acme');
    await sender.close();
    return detail;
  },
  'a wallet': async (port) => {
    const wallet = walletExchange();
    const url = new URL(`https://127.0.0.1:${port}/v1/ethereum/accounts/a`);
    const addresses = [{ address: '127.0.0.1', family: 4 }];
    const signal = AbortSignal.timeout(5_000);
    const refused = await rejectionOf(
      wallet.send({ url, addresses, signal, headers: {}, token: SECRET, account: url.href }),
    );
    wallet.close();
    return refused.message;
  },
  'the database': async (port) => {
    const url = `mongodb://rules:${SECRET}@127.0.0.1:${port}/?tls=true`;
    return (await rejectionOf(openMongo({ url, timeoutMs: 2_000 }))).message;
  },
};

describe('why a part cannot be used', () => {
  it('is in the problem of an operation of the ledger', async () => {
    const relay = await startTlsRelay(EXPIRED);
    const url = `https://127.0.0.1:${relay.port}/${SECRET}`;
    const service = await runService(settingsFor(url, `0x${'11'.repeat(20)}`));
    const answer = await request(`${service.url}${ENTITIES}`, 'POST', building());
    await service.close();
    await relay.close();
    expectProblem(answer, 503, 'about:blank', 'does not answer: certificate has expired; nothing was done');
  });

  for (const [fault, { cert, reason }] of Object.entries(FAULTS)) {
    describe(`with ${fault}`, () => {
      let port: number;
      let close: () => Promise<void>;
      beforeEach(async () => {
        const relay = cert === undefined ? undefined : await startTlsRelay(cert);
        port = relay?.port ?? (await reservedPort());
        close = async () => relay?.close();
      });
      afterEach(() => close());

      for (const [part, ask] of Object.entries(PARTS)) {
        it(`is said by ${part}, without a secret`, async () => {
          const said = await ask(port);
          expect(said).to.match(reason);
          expect(said).not.to.include(SECRET);
          expect(said).not.to.include('rules:');
        });
      }
    });
  }
});
