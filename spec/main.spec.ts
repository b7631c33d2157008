import { expect } from 'chai';
import { deployTimestamper } from '../src/embedded/chain/deploy.js';
import { StartError } from '../src/errors.js';
import { scenes } from './e2e/scene.js';
import { launcher, type Launcher } from './faults/stage/service-process.js';
import { rejectionOf } from './rejection.js';
import { startAnvil } from './servers/chain.js';

describe('service process', () => {
  let services: Launcher;
  /** Has started one service with the default settings. */
  let started: Launcher;
  let service: Awaited<ReturnType<Launcher['start']>>;
  before(async () => {
    started = await launcher();
    service = await started.start();
  });
  after(() => started.close());
  beforeEach(async () => {
    services = await launcher();
  });
  afterEach(() => services.close());

  const open = scenes();
  /** Returns the log of a service with a ledger, once it is ready. */
  const logOf = async (settings: Readonly<Record<string, string>>): Promise<string> =>
    (await open.service({ LEDGER: 'on', LOG_LEVEL: 'info', ...settings })).logged.join('');

  /** Returns why a service does not start: an error that the process reports without a stack (command/start-failure.spec.ts). */
  const failureOf = async (settings: Readonly<Record<string, string>>): Promise<string> => {
    const failure = await rejectionOf(open.service(settings));
    expect(failure).to.be.instanceOf(StartError);
    return failure.message;
  };

  it('logs the level of a line as a word, and hints for a first trial', () => {
    const { url } = service;
    const line = service
      .output()
      .split('\n')
      .find((text) => text.includes('is ready'));
    expect(JSON.parse(line ?? '')).to.include({
      level: 'info',
      console: `${url}/console`,
      docs: `${url}/docs/policy-api`,
      login: 'tenant, user and password are demo',
    });
  });

  it('does not mention the demo user if it does not exist', async () => {
    const other = await services.start({ IDENTITY_USERS: 'acme:ann:secret-1' });
    expect(other.output()).to.include('/docs/policy-api').and.not.to.include('login');
  });

  it('names the setting, without a stack, if its port or folder is unusable', async () => {
    const second = started.launch();
    expect((await second.exited).code).to.equal(2);
    expect(second.output())
      .to.match(/is in use by process \d+: .* DATA_DIR"/)
      .and.not.to.include('"stack"');
    const { port } = new URL(service.url);
    for (const [settings, hint] of [
      [{ PORT: port }, /127\.0\.0\.1:\d+ is in use by another program: .* PORT=\d+$/],
      [
        { DATA_DIR: '/dev/null/data' },
        /\/dev\/null\/data cannot be made: ENOTDIR, a folder above it is a file: remove that; .* DATA_DIR$/,
      ],
    ] as const) {
      expect(await failureOf(settings)).to.match(hint);
    }
  });

  it('logs the configured chain, or that it is missing, without secrets of its address', async () => {
    const anvil = await startAnvil();
    try {
      const { host } = new URL(anvil.url);
      const contract = await deployTimestamper(anvil.url);
      const onto = (CHAIN_RPC_URL: string, CHAIN_CONTRACT: string) =>
        logOf({ CHAIN_RPC_URL, CHAIN_CONTRACT });
      const found = await onto(`http://${host}/?key=s3cret`, contract);
      expect(found).to.match(new RegExp(`chain: \\d+ at ${host}, contract ${contract}`));
      expect(found).to.not.include('s3cret');
      const empty = await onto(anvil.url, `0x${'00'.repeat(19)}01`);
      expect(empty).to.match(/"warn".*none at .* yet.*There is no contract at .*CHAIN_CONTRACT/);
      const away = await onto('http://127.0.0.1:9/s3cret', contract);
      expect(away).to.match(/"warn".*chain: none at 127\.0\.0\.1:9 yet/);
      expect(away).to.not.include('s3cret');
    } finally {
      await anvil.stop();
    }
  });

  it('answers the ledger’s paths with an explanation if no ledger is served', async () => {
    const { url } = service;
    for (const path of ['/entity', '/entity/urn:a:b', '/ngsi-ld/v1/entities/', '/ledger/verify']) {
      const answer = await fetch(url + path);
      expect(answer.status, path).to.equal(404);
      expect(((await answer.json()) as { detail: string }).detail, path).to.include('LEDGER is off');
    }
    expect((await fetch(`${url}/entities`)).status).to.equal(404);
  });

  it('names the setting, without a stack, if MongoDB does not run', async () => {
    expect(await failureOf({ MONGODB_URL: 'mongodb://ann:s3cret@127.0.0.1:9/x' }))
      .to.match(
        /connection refused \(connect ECONNREFUSED 127\.0\.0\.1:9\); see that it runs, and check MONGODB_URL$/,
      )
      .and.not.to.include('s3cret');
  });

  it('logs the development wallet only if callers may name it', async () => {
    const prefix = 'https://vault.example.org/v1';
    const other = await logOf({ WALLET_ADDRESSES: prefix });
    expect(other).to.include('development chain').and.not.to.include('development wallet');
    const own = await logOf({});
    expect(own).to.include('development wallet');
  });
});
