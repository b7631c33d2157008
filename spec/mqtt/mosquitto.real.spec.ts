import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Finding } from '../../src/command/doctor/finding.js';
import type { RefusalsView } from '../../src/operator/shapes.js';
import { runWords } from '../command/command-runs.js';
import { apiClient, request } from '../e2e/api-client.js';
import { rejectionOf } from '../rejection.js';
import { okBody } from '../e2e/policy/actions.js';
import { type Scene, scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { launcher } from '../faults/stage/service-process.js';
import {
  type Mosquitto,
  type MosquittoOptions,
  type Publisher,
  publisher,
  specMosquitto,
} from '../servers/mosquitto.js';
import { AUTHORITY, SIGNED } from '../tls/certificates.js';
import { startTlsRelay } from '../tls/tls-relay.js';

const NOW = Date.now();
const CONNECTED = 'MQTT: messages come from 127.0.0.1:';

interface Part {
  readonly status: string;
  readonly detail?: string;
}

interface HealthBody {
  readonly parts?: Readonly<Record<string, Part>>;
}

describe('measurements of Mosquitto', () => {
  const open = scenes();
  const start = specMosquitto();

  async function broker(options?: MosquittoOptions): Promise<Mosquitto> {
    return open.keep(await start(options), (one) => one.close());
  }

  async function publishing(url: string): Promise<Publisher> {
    return open.keep(await publisher(url), (one) => one.close());
  }

  /** Starts a service to which the tenant is known. */
  async function service(url: string, more: Readonly<Record<string, string>> = {}): Promise<Scene> {
    const settings = { MQTT_URL: url, MQTT_CLIENT_ID: 'spec', METRICS: 'queue', LOG_LEVEL: 'info' };
    const scene = await open.service({ ...settings, ...more });
    okBody(await scene.api.call('GET', '/v1.0/demo'));
    return scene;
  }

  const partOf = async ({ url }: Scene): Promise<Part | undefined> =>
    (okBody(await request(`${url}/health`, 'GET')) as HealthBody).parts?.['mqtt'];

  /** Waits until the health says that MQTT is down. Returns why. */
  const fault = (scene: Scene): Promise<string> =>
    eventually(
      async () => (await partOf(scene))?.detail,
      SOON_MS,
      () => 'the health does not name mqtt',
    );

  /** Waits until the broker sends messages. */
  const isUp = (scene: Scene): Promise<true> =>
    eventually(
      async () =>
        scene.logged.join('').includes(CONNECTED) && (await partOf(scene)) === undefined ? true : undefined,
      SOON_MS,
      async () => JSON.stringify(await partOf(scene)),
    );

  /** Returns the number of the facts of each server. */
  async function facts({ api }: Scene): Promise<Readonly<Record<string, number>>> {
    const { servers } = okBody(await api.call('GET', '/operator/servers')) as unknown as {
      servers: readonly { serverId: string; lastFact: { id: number } | null }[];
    };
    return Object.fromEntries(servers.map(({ serverId, lastFact }) => [serverId, lastFact?.id ?? 0]));
  }

  const factsBecome = (scene: Scene, expected: Readonly<Record<string, number>>): Promise<true> =>
    eventually(
      async () => {
        const found = await facts(scene);
        return Object.entries(expected).every(([server, count]) => found[server] === count)
          ? true
          : undefined;
      },
      SOON_MS,
      async () => JSON.stringify(await facts(scene)),
    );

  const metric = async ({ url }: Scene, name: string): Promise<number> =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await request(`${url}/metrics`, 'GET')).text)?.[1]);

  it('count once with a time, and each time without', async () => {
    const mosquitto = await broker();
    const device = await publishing(mosquitto.url());
    const scene = await service(mosquitto.url());
    await isUp(scene);
    for (const cpu of [10, 20, 20]) await device.publish('mirzam/demo/untimed', { cpu });
    for (const at of [NOW, NOW, NOW + 1])
      await device.publish('mirzam/demo/timed', { cpu: 10, queue: 3, at });
    await device.publish('mirzam/demo/timed', { cpu: 11, at: new Date(NOW + 2).toISOString() });
    await device.publish('mirzam/demo/timed', { cpu: 12, at: (NOW + 3) / 1000 });
    await device.publish('mirzam/demo/pump 7', { cpu: 10, queue: 'long', other: 1 });
    for (const at of [0, 9, 5, 7, 5, 1, 9, 0])
      await device.publish('mirzam/demo/mixed', { cpu: at, at: NOW + at });
    await factsBecome(scene, { untimed: 3, timed: 4, pump_7: 1, mixed: 5 });
    // The last messages are repetitions, which change no number of facts.
    const taken = (): Promise<number> => metric(scene, 'mirzam_mqtt_messages_total{result="taken"}');
    await eventually(
      async () => ((await taken()) >= 17 ? true : undefined),
      SOON_MS,
      async () => `${await taken()} of 17 messages were taken`,
    );
    expect(await taken()).to.equal(17);
    expect(await metric(scene, 'mirzam_values_ignored_total{reason="repeated"}')).to.equal(5);
    expect(await metric(scene, 'mirzam_values_ignored_total{reason="older"}')).to.equal(0);
  });

  it('are refused, seen and counted where they cannot be taken, and hold nothing up', async () => {
    const mosquitto = await broker();
    const device = await publishing(mosquitto.url());
    const scene = await service(mosquitto.url(), { BODY_LIMIT: '1024' });
    await isUp(scene);
    const refused: readonly (readonly [topic: string, payload: unknown, status: number, message: RegExp])[] =
      [
        ['mirzam/nobody/web-1', { cpu: 1 }, 404, /no tenant nobody is known/],
        ['mirzam/demo/web-1', '{"cpu": ', 400, /not JSON/],
        ['mirzam/demo/web-2', [{ cpu: 1 }], 400, /JSON object/],
        ['mirzam/demo/web-3', { cpu: 1, at: 'noon' }, 400, /at must be a time/],
        ['mirzam/demo/', { cpu: 1 }, 400, /mirzam\/\{tenant\}\/\{server\}/],
        ['mirzam/demo/web-4', { cpu: 1, note: 'x'.repeat(1_024) }, 413, /BODY_LIMIT/],
      ];
    for (const [topic, payload] of refused) await device.publish(topic, payload);
    await device.publish('mirzam/demo/web-5', { cpu: 1 });
    await factsBecome(scene, { 'web-5': 1 });
    const { refusals } = okBody(await scene.api.call('GET', '/operator/refusals')) as unknown as RefusalsView;
    for (const [topic, , status, message] of refused) {
      const found = refusals.find(({ path }) => path === topic);
      expect(found, topic).to.include({ status, times: 1 });
      expect(found!.message, topic).to.match(message);
    }
    expect(refusals).to.have.length(refused.length);
    expect(await metric(scene, 'mirzam_mqtt_messages_total{result="refused"}')).to.equal(refused.length);
    expect(await metric(scene, 'mirzam_measurements_refused_total{status="400"}')).to.equal(4);
    expect(await facts(scene)).to.deep.equal({ 'web-5': 1 });
  });

  it('count once if the broker stored them with a time, and not at all without', async () => {
    const mosquitto = await broker();
    const device = await publishing(mosquitto.url());
    await device.publish('mirzam/demo/timed', { cpu: 1, at: NOW }, { retain: true });
    await device.publish('mirzam/demo/untimed', { cpu: 1 }, { retain: true });
    const DATA_DIR = await open.folder();
    await (await service('', { DATA_DIR })).close();
    const first = await service(mosquitto.url(), { DATA_DIR });
    await factsBecome(first, { timed: 1 });
    await first.close();
    // Another client: the broker sends what it stored once more.
    const scene = await service(mosquitto.url(), { DATA_DIR, MQTT_CLIENT_ID: 'another' });
    await isUp(scene);
    await device.publish('mirzam/demo/untimed', { cpu: 2 }, { retain: true });
    await factsBecome(scene, { timed: 1, untimed: 1 });
    expect(await metric(scene, 'mirzam_mqtt_messages_total{result="retained"}')).to.equal(1);
  });

  it('come after the broker is there at last, and after it was away', async () => {
    const mosquitto = await broker();
    await mosquitto.stop();
    const scene = await service(mosquitto.url());
    expect(await fault(scene)).to.match(/^127\.0\.0\.1:\d+ does not answer: connection refused/);
    await mosquitto.start();
    await isUp(scene);
    const device = await publishing(mosquitto.url());
    await device.publish('mirzam/demo/web-1', { cpu: 1 });
    await factsBecome(scene, { 'web-1': 1 });
    await mosquitto.stop();
    await fault(scene);
    await mosquitto.start();
    await device.publish('mirzam/demo/web-1', { cpu: 1 });
    await factsBecome(scene, { 'web-1': 2 });
  });

  it('wait at the broker while the service is stopped', async () => {
    const mosquitto = await broker();
    const device = await publishing(mosquitto.url());
    const DATA_DIR = await open.folder();
    const first = await service(mosquitto.url(), { DATA_DIR });
    await isUp(first);
    const published = [1, 2, 3].map((cpu) => device.publish('mirzam/demo/web-1', { cpu, at: NOW + cpu }));
    await first.close();
    await Promise.all(published);
    for (const cpu of [4, 5]) await device.publish('mirzam/demo/web-1', { cpu, at: NOW + cpu });
    await factsBecome(await service(mosquitto.url(), { DATA_DIR }), { 'web-1': 5 });
  });

  it('need a user and a password that the broker knows', async () => {
    const user = { name: 'mirzam', password: 's3cret/0f:the@spec' };
    const mosquitto = await broker({ users: [user] });
    const detailFor = async (url: string): Promise<string> => {
      const scene = await service(url, { LOG_LEVEL: 'trace' });
      const detail = await fault(scene);
      expect(scene.logged.join('')).to.include('"part":"mqtt"').and.not.include('s3cret');
      await scene.close();
      return detail;
    };
    expect(await detailFor(mosquitto.url())).to.match(/lets nobody in without user and password/);
    const wrong = mosquitto.url({ ...user, password: 's3cret' });
    expect(await detailFor(wrong)).to.match(/refuses the user or the password of MQTT_URL/);
    await isUp(await service(mosquitto.url(user)));

    const doctor = async (url: string): Promise<readonly (string | undefined)[]> => {
      const { out } = await runWords(['doctor', '--json'], {
        MQTT_URL: url,
        DATA_DIR: await open.folder(),
        PORT: '0',
      });
      expect(out).not.to.include('s3cret');
      const found = (JSON.parse(out) as readonly Finding[]).find(({ part }) => part === 'mqtt');
      return [found?.grade, found?.text];
    };
    expect(await doctor(mosquitto.url(user))).to.deep.equal([
      'ok',
      `127.0.0.1:${mosquitto.port} accepts the login of this service`,
    ]);
    expect((await doctor(wrong)).join(' ')).to.match(/^fault .*refuses the user or the password of MQTT_URL/);
  });

  it('are those of the tenant whose user publishes them, with the access list of docs/sources.md', async () => {
    const page = await readFile(new URL('../../../docs/sources.md', import.meta.url), 'utf8');
    const acl = /```\n(user mirzam\n.*?)```/s.exec(page)![1]!;
    const users = ['mirzam', 'demo', 'acme'].map((name) => ({ name, password: `of ${name}` }));
    const mosquitto = await broker({ users, acl });
    const scene = await service(mosquitto.url(users[0]), { IDENTITY_USERS: 'demo:demo:demo,acme:ann:ann' });
    okBody(await (await apiClient(scene.url, 'acme', 'ann', 'ann')).call('GET', '/v1.0/acme'));
    await isUp(scene);
    const [demo, acme] = [
      await publishing(mosquitto.url(users[1])),
      await publishing(mosquitto.url(users[2])),
    ];
    expect((await rejectionOf(acme.publish('mirzam/demo/of-acme', { cpu: 1 }))).message).to.match(
      /Not authorized/,
    );
    expect((await rejectionOf(demo.publish('mirzam/acme/of-demo', { cpu: 1 }))).message).to.match(
      /Not authorized/,
    );
    await demo.publish('mirzam/demo/of-demo', { cpu: 1 });
    await factsBecome(scene, { 'of-demo': 1 });
    expect(await facts(scene)).to.deep.equal({ 'of-demo': 1 });
  });

  it('come over TLS with a certificate of a private authority', async () => {
    const mosquitto = await broker();
    const relay = open.keep(await startTlsRelay(SIGNED, mosquitto.port), (one) => one.close());
    const NODE_EXTRA_CA_CERTS = join(await open.folder(), 'authority.pem');
    await writeFile(NODE_EXTRA_CA_CERTS, AUTHORITY);
    const { username, password } = new URL(mosquitto.url());
    const MQTT_URL = `mqtts://${username}:${password}@localhost:${relay.port}`;
    const services = open.keep(await launcher({ MQTT_URL, MQTT_CLIENT_ID: 'tls' }), (one) => one.close());
    const health = async (url: string) =>
      okBody(await request(`${url}/health`, 'GET')) as unknown as HealthBody;
    const refusing = await services.start();
    const detail = await eventually(
      async () => (await health(refusing.url)).parts?.['mqtt']?.detail,
      SOON_MS,
      () => 'the health does not name mqtt',
    );
    expect(detail).to.match(/NODE_EXTRA_CA_CERTS names a private authority/);
    await refusing.kill('SIGKILL');
    const tls = await services.start({ NODE_EXTRA_CA_CERTS });
    const { url } = tls;
    const device = await publishing(mosquitto.url());
    const api = await apiClient(url);
    okBody(await api.call('GET', '/v1.0/demo'));
    await eventually(
      () => (tls.output().includes('MQTT: messages come from localhost:') ? true : undefined),
      SOON_MS,
      () => tls.output(),
    );
    await device.publish('mirzam/demo/web-1', { cpu: 1 });
    await eventually(
      async () =>
        (await api.call('GET', '/operator/servers?query=web-1')).text.includes('web-1') ? true : undefined,
      SOON_MS,
      async () => JSON.stringify(await health(url)),
    );
  });
});
