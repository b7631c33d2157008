import { expect } from 'chai';
import type { ActorDetail } from '../../src/operator/shapes.js';
import { type ApiAnswer, apiClient, request } from '../e2e/api-client.js';
import { type MongoServer, startMongo } from '../servers/mongodb.js';
import { auditFacts, auditState } from './stage/audit.js';
import { ALWAYS, client, type World } from './stage/clients.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { flakyReceiver, type FlakyReceiver } from './stage/flaky-receiver.js';
import { LATER, nextRelease, type NextRelease } from './stage/next-release.js';
import { seeded } from './stage/random.js';
import { worldAt } from './stage/scene.js';
import { type Launched, launcher, type Launcher } from './stage/service-process.js';

const REFUSED =
  'this version of the service cannot read what is stored here: a newer one wrote it, or it is damaged; nothing was done; repeat the request: a node of the newer version answers it';
/** Time in which a node has the changes that another one has acknowledged, ms. */
const SEEN_MS = 1_000;
/** Longest time until a node has taken over the work of another one, ms. */
const TAKEN_OVER_MS = 30_000;
const CLIENTS = 4;

type Node = Launched & { readonly url: string };

describe('nodes of two releases on one database, the next with newer versions of servers and deliveries', function () {
  let mongo: MongoServer;
  let next: NextRelease;
  let present: Launcher;
  let later: Launcher;
  let flaky: FlakyReceiver;
  let world: World;
  let clients: Promise<void>[];
  let stopClients = (): void => undefined;

  before(async function () {
    const found = await startMongo();
    if (found === undefined) this.skip();
    mongo = found;
    next = await nextRelease();
  });
  after(async () => {
    await next?.remove();
    await mongo?.stop();
  });
  beforeEach(async () => {
    const settings = { MONGODB_URL: mongo.database() };
    present = await launcher(settings);
    later = await launcher(settings, next.main);
    flaky = await flakyReceiver(seeded(30_271));
  });
  afterEach(async () => {
    stopClients();
    await Promise.all([present.close(), later.close()]);
    await flaky.stop();
  });

  const loadAt = async ({ url }: Node): Promise<void> => {
    world = await worldAt([url, url], flaky.url, seeded(30_272));
    stopClients = () => {
      world.running = false;
    };
    clients = Array.from({ length: CLIENTS }, () => client(world));
  };
  const firings = (more: number): Promise<unknown> => {
    const before = flaky.counts().firings;
    return eventually(
      () => (flaky.counts().firings > before + more ? true : undefined),
      SOON_MS,
      () => `${flaky.counts().firings - before} firings`,
    );
  };
  const serverAt = ({ url }: Node, serverId: string) =>
    request(`${url}/v1.0/demo/servers/${serverId}`, 'GET', undefined, { 'x-auth-token': world.token });
  const fed = (): readonly string[] =>
    [...world.books.servers].filter(([, { facts }]) => facts.size > 0).map(([serverId]) => serverId);

  /** Waits until one node refuses each server that got facts, and the other one answers for it. */
  const expectRefused = async (old: Node, newer: Node): Promise<void> => {
    for (const serverId of fed()) {
      let answer: ApiAnswer | undefined;
      const refused = await eventually(
        async () => {
          answer = await serverAt(old, serverId);
          return answer.status === 503 ? answer : undefined;
        },
        TAKEN_OVER_MS,
        () => `the older node answers for ${serverId}: ${answer?.status} ${answer?.text}`,
      );
      expect(refused.body.error?.message).to.equal(REFUSED);
      expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
      expect((await serverAt(newer, serverId)).status).to.equal(200);
    }
  };

  const expectNothingLost = async ({ url }: Node): Promise<void> => {
    stopClients();
    await Promise.all(clients);
    world.urls = [url];
    flaky.behave();
    const isWhole = () =>
      auditState(world).then(
        () => true,
        () => undefined,
      );
    await eventually(isWhole, SEEN_MS, async () => {
      await auditState(world);
      return 'complete only now';
    });
    await auditFacts(world, flaky, TAKEN_OVER_MS);
  };

  it('lose nothing while the next release replaces this one under load', async () => {
    const old = await present.start();
    await loadAt(old);
    await firings(60);
    const newer = await later.start();
    world.urls = [old.url, newer.url];
    await firings(60);
    await expectRefused(old, newer);
    expect(await old.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    world.urls = [newer.url];
    await firings(60);
    await expectNothingLost(newer);
  });

  it('lose nothing while this release comes back beside the next one, and keep what that has added', async () => {
    const newer = await later.start();
    await loadAt(newer);
    await firings(60);
    const old = await present.start();
    world.urls = [newer.url, old.url];
    await firings(60);
    await expectRefused(old, newer);
    // The older node changes the tenant, and keeps the member that it does not know.
    const token = { 'x-auth-token': world.token };
    expect((await request(`${old.url}/v1.0/demo/rules`, 'POST', ALWAYS, token)).status).to.equal(200);
    const get = (path: string) => request(`${newer.url}/operator/actors${path}`, 'GET');
    const [{ tenant, name }] = (await get('?kind=tenant')).body['actors'] as unknown as [ActorDetail];
    const kept = (await get(`/tenant/${tenant}/${name}`)).body as unknown as ActorDetail;
    expect(kept.context).to.include({ later: LATER });
    await expectNothingLost(newer);
  });

  it('end the subscriptions to a rule that an older node deletes, also at servers that it cannot read', async () => {
    const [old, newer] = [await present.start(), await later.start()];
    const api = await apiClient(newer.url);
    const { body } = await api.call('POST', '/v1.0/demo/rules', ALWAYS);
    const ruleId = String(body['ruleId']);
    const path = '/v1.0/demo/servers/still/subscription';
    expect((await api.call('POST', path, { ruleId, url: flaky.url })).status).to.equal(200);
    const [{ tenant }] = (await api.call('GET', '/operator/actors?kind=server')).body[
      'actors'
    ] as unknown as [ActorDetail];
    // A request for the subscription would itself find that its rule is gone.
    const subscribed = async (): Promise<unknown> => {
      const { body: actor } = await api.call('GET', `/operator/actors/server/${tenant}/still`);
      return (actor as unknown as ActorDetail).context['subscriptions'];
    };
    expect(await subscribed()).to.have.length(1);
    const deleted = await request(`${old.url}/v1.0/demo/rules/${ruleId}`, 'DELETE', undefined, {
      'x-auth-token': api.token,
    });
    expect(deleted.status).to.equal(200);
    await eventually(
      async () => (((await subscribed()) as unknown[]).length === 0 ? true : undefined),
      TAKEN_OVER_MS,
      () => 'the subscription is still there',
    );
  });
});
