import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/config.js';
import { type Setting, settings } from '../../src/config/settings.js';
import { scenes } from '../e2e/scene.js';
import {
  type KubernetesObject,
  type Labels,
  only,
  podOf,
  specChart,
  VALUES_FILES,
  valuesOf,
} from './chart.js';

const ALERTS = fileURLToPath(new URL('../../../deploy/prometheus/alerts.yaml', import.meta.url));
const OPERATOR_TOKEN = 'operator-token-of-more-than-32-characters';
const SECRETS = { OPERATOR_TOKEN, IDENTITY_USERS: 'acme:ann:secret-1' };
const MONGODB_URL = 'mongodb://db1/mirzam?replicaSet=rs0';
const ON_MONGODB = { store: 'mongodb', secrets: { ...SECRETS, MONGODB_URL } };

/** Returns the variables that the pods get from the objects of the chart. */
function variablesOf(objects: readonly KubernetesObject[]): Labels {
  const { containers } = podOf(objects).spec;
  const from = new Set(
    containers[0]!.envFrom.flatMap((source) => Object.values(source).map(({ name }) => name)),
  );
  const named = objects.filter(
    ({ kind, metadata }) => ['ConfigMap', 'Secret'].includes(kind) && from.has(metadata.name),
  );
  return Object.assign({}, ...named.map(({ data, stringData }) => data ?? stringData)) as Labels;
}

/** Returns the labels by which an object finds pods. */
function selectorOf({ kind, spec }: KubernetesObject): Labels {
  const selector = (kind === 'NetworkPolicy' ? spec['podSelector'] : spec['selector']) as Labels & {
    readonly matchLabels?: Labels;
  };
  return selector.matchLabels ?? selector;
}

describe('the Helm chart', () => {
  const chart = specChart();
  const open = scenes();

  for (const file of VALUES_FILES) {
    it(`has nothing that helm lint warns of: ${file}`, () => {
      const { status, stdout } = chart.lint(file);
      expect(status, stdout).to.equal(0);
      expect(stdout).to.not.match(/\[(?:WARNING|ERROR)\]/);
    });

    it(`finds its own pods with each selector: ${file}`, async () => {
      const objects = await chart.objects(await valuesOf(file));
      const { labels } = podOf(objects).metadata;
      const selecting = objects.filter(({ spec }) => spec?.['selector'] ?? spec?.['podSelector']);
      expect(selecting).to.have.length.of.at.least(2);
      for (const one of selecting) expect(labels, one.kind).to.include(selectorOf(one));
    });
  }

  it('has settings that the service starts with', async () => {
    for (const file of ['embedded-values.yaml', 'all-values.yaml'] as const) {
      const config = loadConfig(variablesOf(await chart.objects(await valuesOf(file))));
      expect(config).to.include({ production: true });
      expect(config.http).to.include({ host: '0.0.0.0', port: file === 'all-values.yaml' ? 9090 : 8080 });
    }
  });

  it('passes every setting on, as it is written', async () => {
    const rows: readonly (readonly [string, Setting])[] = Object.entries(settings);
    const special: Labels = { PORT: '9090', DATA_DIR: '/data/elsewhere' };
    const valueOf = ([name]: readonly [string, Setting]) =>
      [name, special[name] ?? `value of ${name}`] as const;
    const given = Object.fromEntries(rows.filter(([, { secret }]) => !secret).map(valueOf));
    const secrets = Object.fromEntries(rows.filter(([, { secret }]) => secret).map(valueOf));
    const objects = await chart.objects({ store: 'mongodb', settings: given, secrets });
    expect(variablesOf(objects)).to.deep.equal({ ...given, ...secrets });
    expect(only(objects, 'Secret').stringData).to.deep.equal(secrets);
    expect(podOf(objects).spec.containers[0]!.ports[0]!.containerPort).to.equal(9090);
  });

  it('writes numbers as the service reads them', async () => {
    const objects = await chart.objects({
      settings: {
        BATCH_LIMIT: 67_108_864,
        GAS_PRICE_FACTOR: 1.25,
        GAS_LIMIT: 1_000_000_000,
        WINDOW_GAP_S: 0,
      },
      secrets: SECRETS,
    });
    expect(variablesOf(objects)).to.include({
      BATCH_LIMIT: '67108864',
      GAS_PRICE_FACTOR: '1.25',
      GAS_LIMIT: '1000000000',
      WINDOW_GAP_S: '0',
    });
  });

  it('runs the embedded store in one pod with a volume, in a folder of its own', async () => {
    const objects = await chart.objects({ replicas: 3, secrets: SECRETS });
    const { spec } = only(objects, 'StatefulSet');
    expect(spec['replicas']).to.equal(1);
    expect(spec).to.have.nested.property('volumeClaimTemplates[0].metadata.name', 'data');
    const [mount] = podOf(objects).spec.containers[0]!.volumeMounts;
    expect(mount).to.deep.equal({ name: 'data', mountPath: '/data' });
    expect(variablesOf(objects)['DATA_DIR']).to.match(/^\/data\/./);
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds).to.not.include('Deployment');
    expect(kinds).to.not.include('PodDisruptionBudget');
  });

  it('runs nodes on MongoDB as a Deployment, which a drain or an upgrade does not end', async () => {
    const objects = await chart.objects(ON_MONGODB);
    const { spec } = only(objects, 'Deployment');
    expect(spec).to.include({ replicas: 2 });
    expect(spec).to.have.deep.nested.property('strategy.rollingUpdate', { maxSurge: 1, maxUnavailable: 0 });
    expect(only(objects, 'PodDisruptionBudget').spec['maxUnavailable']).to.equal(1);
    expect(objects.some(({ kind }) => kind === 'StatefulSet')).to.equal(false);
  });

  it('gives its pods no rights, a root file system that is read-only, and time to stop', async () => {
    const { spec } = podOf(await chart.objects(ON_MONGODB));
    expect(spec).to.deep.include({ automountServiceAccountToken: false, enableServiceLinks: false });
    expect(spec.securityContext).to.deep.include({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(spec.containers[0]!.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    // 4 s until load balancers have noticed, and 10 s for requests in progress.
    expect(spec.terminationGracePeriodSeconds).to.be.greaterThan(14);
  });

  it('probes addresses that the service has: one of them ends when it stops', async () => {
    const [container] = podOf(await chart.objects(ON_MONGODB)).spec.containers;
    const { startupProbe, livenessProbe, readinessProbe, ports } = container!;
    expect(readinessProbe.httpGet.path).to.equal('/health/ready');
    const { url } = await open.service();
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(ports.map(({ name }) => name)).to.include(httpGet.port);
      expect((await fetch(url + httpGet.path)).status, httpGet.path).to.equal(200);
    }
    expect([startupProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).to.not.include('/health/ready');
  });

  it('takes its secrets from a Secret that exists', async () => {
    const objects = await chart.objects({
      store: 'mongodb',
      existingSecret: 'mine',
      serviceMonitor: { enabled: true },
    });
    expect(objects.some(({ kind }) => kind === 'Secret')).to.equal(false);
    expect(podOf(objects).spec.containers[0]!.envFrom).to.deep.include({ secretRef: { name: 'mine' } });
    expect(only(objects, 'ServiceMonitor').spec).to.have.deep.nested.property(
      'endpoints[0].authorization.credentials',
      { name: 'mine', key: 'OPERATOR_TOKEN' },
    );
  });

  it('replaces its pods if a setting or a secret changes', async () => {
    const sums = [];
    for (const values of [
      ON_MONGODB,
      { ...ON_MONGODB, settings: { TREND: 'off' } },
      { ...ON_MONGODB, secrets: { ...ON_MONGODB.secrets, FACTS_KEY: 'key' } },
      { ...ON_MONGODB, podLabels: { tier: 'service' } },
    ]) {
      sums.push(podOf(await chart.objects(values)).metadata.annotations['checksum/settings']);
    }
    expect(new Set(sums.slice(0, 3)).size).to.equal(3);
    expect(sums[3]).to.equal(sums[0]);
  });

  it('has an Ingress that hashes, waits for the ledger, and ends TLS', async () => {
    const { metadata, spec } = only(await chart.objects(await valuesOf('mongodb-values.yaml')), 'Ingress');
    const prefix = 'nginx.ingress.kubernetes.io';
    expect(metadata.annotations).to.include({
      [`${prefix}/upstream-hash-by`]: '$mirzam_key',
      [`${prefix}/proxy-read-timeout`]: '90',
      [`${prefix}/proxy-connect-timeout`]: '1',
    });
    expect(spec['tls']).to.deep.equal([{ hosts: ['mirzam.example.org'], secretName: 'mirzam-tls' }]);

    const ingress = {
      enabled: true,
      host: 'a.example.org',
      annotations: { [`${prefix}/proxy-body-size`]: '1m' },
    };
    const plain = only(
      await chart.objects({ ...ON_MONGODB, ingress, settings: { LEDGER_WAIT_S: 600 } }),
      'Ingress',
    );
    expect(plain.metadata.annotations).to.deep.equal({
      [`${prefix}/proxy-read-timeout`]: '660',
      [`${prefix}/proxy-connect-timeout`]: '1',
      [`${prefix}/proxy-body-size`]: '1m',
    });
    expect(plain.spec).to.not.have.property('tls');
    const others = only(await chart.objects(await valuesOf('all-values.yaml')), 'Ingress');
    expect(others.metadata.annotations).to.deep.equal({ 'haproxy.org/load-balance': 'uri' });
  });

  it('has the alerts and the job that they name', async () => {
    const file = await readFile(ALERTS, 'utf8');
    const objects = await chart.objects({
      ...ON_MONGODB,
      serviceMonitor: { enabled: true },
      prometheusRule: { enabled: true, file },
    });
    expect(only(objects, 'PrometheusRule').spec).to.deep.equal(parse(file));
    const { spec } = only(objects, 'ServiceMonitor');
    const { labels } = only(objects, 'Service').metadata;
    expect(file).to.include(`job="${labels[spec['jobLabel'] as string]}"`);
    expect(spec['endpoints']).to.deep.equal([
      {
        port: 'http',
        path: '/metrics',
        interval: '15s',
        authorization: { type: 'Bearer', credentials: { name: 'try-mirzam', key: 'OPERATOR_TOKEN' } },
      },
    ]);
  });

  it('closes its port to others with a NetworkPolicy', async () => {
    const from = [{ podSelector: { matchLabels: { app: 'ingress' } } }];
    const rulesWith = async (networkPolicy: object): Promise<unknown> =>
      only(await chart.objects({ ...ON_MONGODB, networkPolicy }), 'NetworkPolicy').spec['ingress'];
    expect(await rulesWith({ enabled: true, from })).to.deep.equal([{ from, ports: [{ port: 'http' }] }]);
    expect(await rulesWith({ enabled: true })).to.deep.equal([]);
  });

  it('refuses values that cannot work, and says which', async () => {
    for (const [values, complaint] of [
      [{}, /secrets\.OPERATOR_TOKEN is missing/],
      [{ store: 'mongodb', secrets: SECRETS }, /secrets\.MONGODB_URL is missing/],
      [{ secrets: { ...SECRETS, MONGODB_URL } }, /set store=mongodb/],
      [{ secrets: SECRETS, existingSecret: 'mine' }, /secrets and existingSecret exclude each other/],
      [{ secrets: SECRETS, ingress: { enabled: true } }, /ingress\.host is missing/],
      [{ secrets: SECRETS, prometheusRule: { enabled: true } }, /--set-file prometheusRule\.file/],
      [{ secrets: SECRETS, settings: { LOG_LEVLE: 'debug' } }, /LOG_LEVLE' not allowed/],
      [{ secrets: SECRETS, settings: { OPERATOR_TOKEN } }, /OPERATOR_TOKEN' not allowed/],
      [{ secrets: SECRETS, settings: { LEDGER: false } }, /LEDGER.* got boolean/],
      [{ secrets: SECRETS, settings: { DATA_DIR: '/var/lib' } }, /DATA_DIR.* does not match/],
      [{ secrets: SECRETS, terminationGracePeriodSeconds: 10 }, /terminationGracePeriodSeconds/],
      [{ secrets: SECRETS, replica: 3 }, /replica' not allowed/],
    ] as const) {
      const { status, stderr } = await chart.run(values);
      expect(status, JSON.stringify(values)).to.equal(1);
      expect(stderr).to.match(complaint);
      expect(stderr).to.not.include(OPERATOR_TOKEN);
    }
  });
});
