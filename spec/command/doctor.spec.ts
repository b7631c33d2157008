import { spawn } from 'node:child_process';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { mkdir, readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import type { Finding, Grade, Part } from '../../src/command/doctor/finding.js';
import { reservedPort } from '../servers/ports.js';
import { scenes } from '../e2e/scene.js';
import { type Anvil, startAnvil } from '../servers/chain.js';
import { startWeb3Signer } from '../wallets/web3signer-stand-in.js';
import { writtenFiles } from '../written-files.js';
import { runWords } from './command-runs.js';

type Settings = Readonly<Record<string, string>>;

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const SECRET = 's3cret-of-these-specs';
const ADMIN = { IDENTITY_ADMIN_TENANT: 'a', IDENTITY_ADMIN_USER: 'b', IDENTITY_ADMIN_PASSWORD: SECRET };
const OPERATOR_TOKEN = 'operators-of-these-specs-have-this-token';

describe('mirzam doctor', () => {
  const open = scenes();
  const written = writtenFiles();
  let anvil: Anvil;
  let contract: string;
  /** An address that nobody listens at. */
  let nowhere: string;
  before(async () => {
    anvil = await startAnvil();
    contract = await deployTimestamper(anvil.url);
    nowhere = `127.0.0.1:${await reservedPort()}`;
  });
  after(() => anvil.stop());

  /** Settings in which all is well, and nothing runs. */
  const base = async (): Promise<Settings> => ({
    DATA_DIR: written.pathOf('data'),
    PORT: String(await reservedPort()),
  });

  async function examined(settings: Settings) {
    const { code, out, err } = await runWords(['doctor', '--json'], { ...(await base()), ...settings });
    expect(err).to.equal('');
    expect(out).not.to.include(SECRET);
    return { code, findings: JSON.parse(out) as readonly Finding[] };
  }

  const gradesOf = (findings: readonly Finding[], part: Part): readonly Grade[] =>
    findings.filter((one) => one.part === part).map(({ grade }) => grade);

  async function listening(server: Server): Promise<string> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.keep(server, async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const http = (listener: RequestListener): Promise<string> => listening(createHttpServer(listener));
  const json =
    (status: number, body: unknown): RequestListener =>
    (_, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  async function startedSigner(options?: Parameters<typeof startWeb3Signer>[0]) {
    const signer = open.keep(await startWeb3Signer(options), (one) => one.close());
    return { signer, url: (path: string) => signer.url + path };
  }
  const onChain = () => ({ CHAIN_RPC_URL: anvil.url, CHAIN_CONTRACT: contract });

  /** Planted faults: the settings, the part that is named, and words of the remedy. */
  const planted: readonly (readonly [what: string, () => Promise<Settings>, Part, RegExp])[] = [
    [
      'another program at PORT',
      async () => ({ PORT: (await http(json(200, {}))).split(':')[1]! }),
      'service',
      /PORT/,
    ],
    [
      'a folder above the data that is a file',
      async () => ({ DATA_DIR: `${await written.file('f', '')}/data` }),
      'store',
      /is not a folder.*DATA_DIR/,
    ],
    [
      'a damaged store',
      async () => {
        await mkdir(written.pathOf('data'), { mode: 0o700 });
        return {
          DATA_DIR: (await written.file('data/data.mdb', 'x'.repeat(9_000))).replace('/data.mdb', ''),
        };
      },
      'store',
      /data\.mdb/,
    ],
    [
      'a MongoDB that does not run',
      async () => ({ MONGODB_URL: `mongodb://ann:${SECRET}@${nowhere}/x` }),
      'store',
      /connection refused.*check MONGODB_URL/,
    ],
    [
      'an identity service that does not run',
      async () => ({ IDENTITY_URL: `http://${nowhere}`, ...ADMIN }),
      'identity',
      /connection refused/,
    ],
    [
      'credentials that Keystone refuses',
      async () => ({ IDENTITY_URL: `http://${await http(json(401, {}))}`, ...ADMIN }),
      'identity',
      /IDENTITY_ADMIN_PASSWORD/,
    ],
    [
      'an address without keys of the issuer',
      async () => ({
        IDENTITY: 'jwt',
        IDENTITY_URL: `http://${await http(json(200, { issuer: 'x' }))}`,
        IDENTITY_AUDIENCE: 'mirzam',
        IDENTITY_ISSUER: 'x',
      }),
      'identity',
      /jwks_uri/,
    ],
    [
      'a broker that does not run',
      async () => ({ BROKER_URL: `http://${nowhere}` }),
      'broker',
      /connection refused.*BROKER_URL/,
    ],
    [
      'a broker of receipts that does not run',
      async () => ({ ...onChain(), BROKER_MIRROR_URL: `http://${nowhere}` }),
      'broker',
      /connection refused.*BROKER_MIRROR_URL/,
    ],
    [
      'a mail server that refuses the login',
      async () => ({ SMTP_URL: `smtp://ann:${SECRET}@${await listening(refusingMail())}` }),
      'mail',
      /535.*SMTP_URL/,
    ],
    [
      'a node of the chain that does not run',
      async () => ({ ...onChain(), CHAIN_RPC_URL: `http://${nowhere}/${SECRET}` }),
      'chain',
      /connection refused.*CHAIN_RPC_URL/,
    ],
    [
      'a contract that is not there',
      async () => ({ ...onChain(), CHAIN_CONTRACT: `0x${'00'.repeat(19)}07` }),
      'contract',
      /no contract.*CHAIN_CONTRACT.*mirzam deploy/,
    ],
    [
      'a contract of another kind',
      async () => {
        const other = `0x${'00'.repeat(19)}09`;
        await anvil.rpc('anvil_setCode', [other, '0x6001600101']);
        return { ...onChain(), CHAIN_CONTRACT: other };
      },
      'contract',
      /cannot emit/,
    ],
    [
      'an account without funds',
      async () => {
        const paid = open.keep(await startAnvil([]), (node) => node.stop());
        return { CHAIN_RPC_URL: paid.url, CHAIN_CONTRACT: contract, DEFAULT_ACCOUNT_KEY: '11'.repeat(32) };
      },
      'account',
      /has 0 wei.*send it/,
    ],
    [
      'a sealed Vault',
      async () => ({
        ...onChain(),
        WALLET_ADDRESSES: `http://${await http(json(503, { sealed: true }))}/v1/ethereum`,
      }),
      'wallets',
      /is sealed: unseal/,
    ],
    [
      'a Vault that does not run',
      async () => ({ ...onChain(), WALLET_ADDRESSES: `http://${nowhere}/v1/ethereum` }),
      'wallets',
      /connection refused.*WALLET_ADDRESSES/,
    ],
    [
      'a Web3Signer without keys',
      async () => ({
        ...onChain(),
        WALLET_ADDRESSES: (await startedSigner({ path: '/team' })).url('/team/api/v1/eth1/sign'),
      }),
      'wallets',
      /the Web3Signer at http.*\/team\/api\/v1\/eth1\/sign has no keys/,
    ],
    [
      'a Web3Signer that does not take its host',
      async () => ({
        ...onChain(),
        WALLET_ADDRESSES: `http://${await http(json(403, { message: 'Host not authorized.' }))}`,
      }),
      'wallets',
      /does not take this host: its --http-host-allowlist must have it/,
    ],
    [
      'a receiver of traces that does not run',
      async () => ({ TRACING: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: `http://${nowhere}` }),
      'traces',
      /connection refused.*OTEL_EXPORTER_OTLP_ENDPOINT/,
    ],
    [
      'a receiver of traces that refuses the key',
      async () => ({
        TRACING: 'on',
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://${await http(json(401, {}))}`,
        OTEL_EXPORTER_OTLP_HEADERS: `api-key=${SECRET}`,
      }),
      'traces',
      /answers 401: check OTEL_EXPORTER_OTLP_HEADERS/,
    ],
    [
      'a server that is not a receiver of traces',
      async () => ({ TRACING: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: `http://${await http(json(404, {}))}` }),
      'traces',
      /answers 404, and takes no OTLP.*OTEL_EXPORTER_OTLP_ENDPOINT/,
    ],
    [
      'another server at PUBLIC_URL',
      async () => ({ PUBLIC_URL: `http://${await http(json(200, {}))}` }),
      'PUBLIC_URL',
      /not as this service does.*check PUBLIC_URL/,
    ],
    [
      'a broker elsewhere that cannot reach PUBLIC_URL',
      async () => ({ BROKER_URL: 'http://192.0.2.1:1026', PUBLIC_URL: 'http://localhost:8080' }),
      'PUBLIC_URL',
      /this machine alone.*set PUBLIC_URL/,
    ],
  ];

  for (const [what, plant, part, words] of planted) {
    it(`finds ${what}, and says what to do`, async () => {
      const { code, findings } = await examined(await plant());
      expect(code).to.equal(1);
      const found = findings.filter((one) => one.part === part && one.grade === 'fault');
      expect(found, JSON.stringify(findings)).to.have.length(1);
      expect(found[0]!.text).to.match(words);
    });
  }

  it('finds nothing in a folder without settings, and leaves it as it is', async () => {
    const { code, out } = await runWords(['doctor'], await base());
    expect(code).to.equal(0);
    const lines = out.trimEnd().split('\n');
    expect(lines.filter((line) => !/^(?:ok|note) +\S+ +\S.*/.test(line))).to.deep.equal([]);
    expect(out).to.match(
      /^note +service +nothing runs at http:\/\/127\.0\.0\.1:\d+: "mirzam" starts the service; if it runs elsewhere, give its PORT$/m,
    );
    expect(out).to.match(/^note +PUBLIC_URL .*no service runs here/m);
    expect(await readdir(written.pathOf('.'))).to.deep.equal([]);
  });

  it('knows each type of wallet by its answers, and what is none', async () => {
    const vault = await http(json(200, { sealed: false }));
    const { signer, url } = await startedSigner();
    const { url: key } = signer.key();
    const neither = await http(json(200, { message: 'hello' }));
    const locked = await http(json(401, {}));
    const prefixes = [
      `http://${vault}/v1/ethereum`,
      url(''),
      key,
      `http://${neither}/a`,
      `http://${locked}/api`,
    ];
    const { findings } = await examined({ ...onChain(), WALLET_ADDRESSES: prefixes.join(',') });
    const found = findings.filter(({ part }) => part === 'wallets');
    expect(found.map(({ grade, text }) => [grade, text])).to.deep.equal([
      ['ok', `Vault answers at ${prefixes[0]}`],
      ['ok', `Web3Signer answers at ${prefixes[1]}`],
      ['ok', `Web3Signer answers at ${prefixes[2]}`],
      ['warning', `${prefixes[3]} answers 200, and not as Vault or Web3Signer does; check WALLET_ADDRESSES`],
      ['note', `${prefixes[4]} wants a token: whether it is Vault or Web3Signer is not known`],
    ]);
  });

  it('finds nothing wrong with a service that runs, and all its parts', async () => {
    const port = String(await reservedPort());
    const collector = await open.receiver((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    );
    const vault = `http://${await http(json(200, { sealed: false, initialized: true }))}`;
    const settings = {
      ...(await base()),
      ...onChain(),
      PORT: port,
      OPERATOR_TOKEN,
      LEDGER: 'on',
      BROKER_URL: `http://${await http(json(200, {}))}`,
      WALLET_ADDRESSES: `${vault}/v1/ethereum`,
      TRACING: 'on',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${SECRET}`,
      OTEL_TRACES_SAMPLER: 'always_off',
    };
    await open.service(settings);
    const { code, findings } = await examined(settings);
    expect(findings.filter(({ grade }) => grade === 'fault')).to.deep.equal([]);
    expect(code).to.equal(0);
    for (const part of [
      'service',
      'store',
      'identity',
      'broker',
      'chain',
      'contract',
      'wallets',
      'traces',
      'PUBLIC_URL',
    ] as const)
      expect(gradesOf(findings, part), part).to.deep.equal(['ok']);
    // Without a span in it.
    expect(collector.got.map(({ url, body }) => [url, body])).to.deep.equal([
      ['/v1/traces', '{"resourceSpans":[]}'],
    ]);
    expect(collector.got[0]!.headers['api-key']).to.equal(SECRET);
  });

  it('says which transactions the chain gets', async () => {
    const priced = open.keep(await startAnvil([]), (node) => node.stop());
    const said = async (settings: Settings) =>
      (await examined({ ...onChain(), ...settings })).findings.find(({ part }) => part === 'chain')!.text;
    expect(await said({})).to.match(/node of chain 1337, whose transactions are legacy ones, at 0 wei/);
    expect(await said({ CHAIN_RPC_URL: priced.url })).to.match(
      /has a base fee: .* of EIP-1559, at 1000000000 wei per gas above the base fee and 3000000000 wei at most/,
    );
    expect(await said({ CHAIN_RPC_URL: priced.url, GAS_PRICE_FACTOR: '0' })).to.include('legacy ones');
  });

  it('names every fault of the settings, and exits with 2', async () => {
    const { code, findings } = await examined({ PORT: 'x', CHAIN_RPC_URL: `http://a:${SECRET}@b` });
    expect(code).to.equal(2);
    expect(findings.map(({ part, grade }) => `${part} ${grade}`)).to.deep.equal([
      'settings fault',
      'settings fault',
    ]);
    expect(findings[0]!.text).to.match(/^PORT: "x" is not allowed; allowed: /);
  });

  it('names variables that look like settings, and are none', async () => {
    await written.file(
      '.env',
      'MONGO_URL=mongodb://127.0.0.1/x\nMIRZAM_TENANT=demo\nNODE_OPTIONS=\nLEDGER=off\n',
    );
    const env = { ...(await base()), PATH: process.env['PATH'], MIRZAM_PORT: '80' };
    const child = spawn(process.execPath, [MAIN, 'doctor'], { cwd: written.pathOf('.'), env });
    const out = await text(child.stdout);
    expect(out.match(/^warning +settings .*$/gm)).to.deep.equal([
      'warning  settings    MIRZAM_PORT is not read: the setting is PORT',
      'warning  settings    .env has MONGO_URL, which is not a setting; the page /docs/settings of a service lists all',
    ]);
  });

  it('warns of what works and is probably not meant', async () => {
    const { code, findings } = await examined({
      NODE_ENV: 'production',
      OPERATOR_TOKEN,
      IDENTITY_USERS: 'acme:ann:a-password',
      LEDGER: 'off',
    });
    expect(code).to.equal(0);
    expect(gradesOf(findings, 'settings')).to.include('warning');
    expect(gradesOf(findings, 'mail')).to.deep.equal(['warning']);
  });
});

/** A mail server that refuses every login. */
function refusingMail(): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined).write('220 mail.example.org ESMTP\r\n');
    socket.setEncoding('utf8').on('data', (text: string) => {
      if (/^EHLO/i.test(text)) socket.write('250-mail.example.org\r\n250 AUTH PLAIN\r\n');
      else if (/^AUTH/i.test(text)) socket.write('535 5.7.8 Authentication credentials invalid\r\n');
      else socket.end('221 Bye\r\n');
    });
  });
}
