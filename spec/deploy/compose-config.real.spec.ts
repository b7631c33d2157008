import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { settings } from '../../src/config/settings.js';
import { buildGoProgram } from '../faults/stage/go-program.js';
import { skipWithout } from '../servers/deploy-tools.js';
import { SETTINGS_OF_THE_IMAGE } from './settings-of-the-image.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
/** A value for each setting that the files pass on. */
const VALUES = Object.fromEntries(
  Object.keys(settings)
    .filter((name) => !SETTINGS_OF_THE_IMAGE.has(name))
    .map((name) => [name, `value of ${name}`]),
);

interface Service {
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly build?: { readonly context: string };
  readonly image?: string;
  readonly hostname?: string;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly networks?: Readonly<Record<string, { readonly ipv4_address?: string } | null>>;
}

describe('the compose files, as Docker Compose reads them', () => {
  let loader: string | undefined;
  before(function () {
    loader = buildGoProgram('spec/deploy/compose-config');
    if (loader === undefined) skipWithout(this, 'no go: install it from https://go.dev');
  });

  const load = (file: string, env: Readonly<Record<string, string>>) =>
    spawnSync(loader!, [file], { cwd: REPOSITORY, encoding: 'utf8', env });
  const servicesOf = (file: string, env: Readonly<Record<string, string>>) => {
    const { status, stdout, stderr } = load(file, env);
    expect(status, stderr).to.equal(0);
    expect(stderr).to.equal('');
    return (JSON.parse(stdout) as { readonly services: Readonly<Record<string, Service>> }).services;
  };

  for (const [file, nodes, given] of [
    ['compose.yaml', ['mirzam'], VALUES],
    ['deploy/compose.production.yaml', ['mirzam-1', 'mirzam-2'], { ...VALUES, NODE_ENV: 'production' }],
  ] as const) {
    describe(file, () => {
      it('gives each node every setting as it is set', () => {
        const services = servicesOf(file, VALUES);
        for (const node of nodes) expect(services[node]!.environment, node).to.deep.equal(given);
      });

      it('has production and its database without settings, and needs the token of operators', () => {
        const { OPERATOR_TOKEN: _, ...others } = VALUES;
        const services = servicesOf(file, {
          OPERATOR_TOKEN: 'secret',
          PUBLIC_URL: 'https://mirzam.example.org',
        });
        for (const node of nodes) {
          const { environment, depends_on: needed } = services[node]!;
          expect(environment).to.include({ NODE_ENV: 'production', OPERATOR_TOKEN: 'secret' });
          expect(environment!['MONGODB_URL']).to.equal('mongodb://mongodb:27017/mirzam?replicaSet=rs0');
          expect(needed).to.have.nested.property('mongodb.condition', 'service_healthy');
        }
        const refused = load(file, others);
        expect(refused.status).to.equal(1);
        expect(refused.stderr).to.include('OPERATOR_TOKEN is missing');
      });

      it('runs the image of this repository, read-only, and gives it time to stop', () => {
        const services = servicesOf(file, VALUES);
        const built = nodes.map((node) => services[node]!).filter(({ build }) => build !== undefined);
        expect(built.map(({ build }) => `${build!.context}/`)).to.deep.equal([REPOSITORY]);
        for (const node of nodes) {
          const { image, read_only: readOnly, stop_grace_period: grace } = services[node]!;
          expect(image).to.equal(built[0]!.image);
          expect(readOnly).to.equal(true);
          // 4 s until load balancers have noticed, and 10 s for requests in progress.
          expect(Number.parseInt(grace!, 10)).to.be.greaterThan(14);
        }
      });
    });
  }

  it('in production have the nodes of HAProxy, whose address they trust', async () => {
    const { TRUSTED_PROXIES: _, ...rest } = VALUES;
    const services = servicesOf('deploy/compose.production.yaml', rest);
    const { networks } = services['haproxy']!;
    const trusted = services['mirzam-1']!.environment!['TRUSTED_PROXIES'];
    expect(Object.values(networks!).map((network) => network?.ipv4_address)).to.deep.equal([trusted]);
    const configuration = await readFile(join(REPOSITORY, 'deploy', 'haproxy', 'haproxy.cfg'), 'utf8');
    const backends = [...configuration.matchAll(/^ {4}server (\S+) (\S+):8080 /gm)];
    const nodes = Object.keys(services).filter((name) => name.startsWith('mirzam'));
    expect(backends.map(([, name]) => name)).to.deep.equal(nodes);
    expect(backends.map(([, , host]) => host)).to.deep.equal(nodes.map((name) => services[name]!.hostname));
  });

  it('would be refused with a key that Compose does not know', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mirzam-compose-'));
    try {
      const text = await readFile(join(REPOSITORY, 'compose.yaml'), 'utf8');
      const file = join(folder, 'compose.yaml');
      await writeFile(file, text.replace('stop_grace_period:', 'stop_grace:'));
      const { status, stderr } = load(file, VALUES);
      expect(status).to.equal(1);
      expect(stderr).to.match(/stop_grace/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
