import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import { reservedPort } from '../servers/ports.js';
import { ngsiv2StandIn } from '../broker/stand-ins/ngsiv2.js';
import { startMailServer } from '../delivery/senders/mail-server.js';
import { apiClient, request } from '../e2e/api-client.js';
import { building, ENTITIES, ledgerClient, receiptIn, walletHeaders } from '../e2e/ledger/scene.js';
import { addSubscribedRule, ALWAYS, arrived, cpu, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { launcher } from '../faults/stage/service-process.js';
import { sharedAnvil } from '../servers/shared-chain.js';
import { startWeb3Signer } from '../wallets/web3signer-stand-in.js';
import { AUTHORITY, SIGNED } from './certificates.js';
import { startTlsRelay } from './tls-relay.js';

const WALLET_TOKEN = 'spec-wallet-token';
const MAIL = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look at it' };

describe('parts with certificates of a private authority', () => {
  const open = scenes();
  const chain = sharedAnvil();

  /** Puts TLS before a port, with a certificate of the authority. */
  const secured = async (port: number): Promise<number> =>
    open.keep(await startTlsRelay(SIGNED, port), (relay) => relay.close()).port;

  it('are all reached with NODE_EXTRA_CA_CERTS: chain, broker, mail, webhook and wallets', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mirzam-authority-'));
    open.keep(folder, () => rm(folder, { recursive: true }));
    const NODE_EXTRA_CA_CERTS = join(folder, 'authority.pem');
    await writeFile(NODE_EXTRA_CA_CERTS, AUTHORITY);
    const broker = open.keep(await ngsiv2StandIn(), (one) => one.close());
    const mail = open.keep(await startMailServer(), (one) => one.stop());
    const receiver = await open.receiver();
    const anvil = chain();
    const port = await reservedPort();

    const services = await launcher({
      NODE_EXTRA_CA_CERTS,
      PORT: String(port),
      LEDGER: 'on',
      WALLET_DEV_TOKEN: WALLET_TOKEN,
      CHAIN_CONTRACT: await deployTimestamper(anvil.url),
      CHAIN_RPC_URL: `https://127.0.0.1:${await secured(Number(new URL(anvil.url).port))}`,
      BROKER_URL: `https://localhost:${await secured(Number(new URL(broker.url).port))}`,
      SMTP_URL: `smtps://localhost:${await secured(mail.port)}`,
    });
    open.keep(services, () => services.close());
    const { url } = await services.start();
    const api = await apiClient(url);
    await windowSize(api, 1);

    const webhook = `https://127.0.0.1:${await secured(receiver.port)}`;
    await addSubscribedRule(api, 'web-1', webhook);
    expect(broker.subscriptions()).to.have.length(1);
    await addSubscribedRule(api, 'web-1', webhook, { ...ALWAYS, action: MAIL });
    await cpu(api, 'web-1', 97);
    await arrived(receiver, 1);
    await eventually(
      () => (mail.arrived.length > 0 ? true : undefined),
      SOON_MS,
      () => 'no mail came',
    );
    const wallet = `https://127.0.0.1:${await secured(port)}/vault/v1/ethereum/accounts/spec`;
    await request(`${url}/vault/v1/ethereum/accounts/spec`, 'POST', undefined, {
      'x-vault-token': WALLET_TOKEN,
    });
    const headers = walletHeaders(wallet, WALLET_TOKEN);
    receiptIn(await ledgerClient(url).ask(`POST ${ENTITIES}`, building(), headers));
    const signer = open.keep(await startWeb3Signer(), (one) => one.close());
    const key = `https://localhost:${await secured(Number(new URL(signer.url).port))}${new URL(signer.key().url).pathname}`;
    const named = { 'Wallet-Type': 'web3signer', 'Wallet-Address': key };
    receiptIn(await ledgerClient(url).ask(`POST ${ENTITIES}`, building(), named));
    const health = async () => (await request(`${url}/health`, 'GET')).body['status'];
    await eventually(
      async () => ((await health()) === 'ok' ? true : undefined),
      SOON_MS,
      async () => (await request(`${url}/health`, 'GET')).text,
    );
  });
});
