import { expect } from 'chai';
import { apiClient } from '../e2e/api-client.js';
import { type Receiver, startReceiver } from '../delivery/senders/receiver.js';
import { auditFacts, auditState } from './stage/audit.js';
import { ALWAYS, client, sendFact } from './stage/clients.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { flakyReceiver, type FlakyReceiver } from './stage/flaky-receiver.js';
import { seeded } from './stage/random.js';
import { worldAt } from './stage/scene.js';
import { nodesOnMongo } from './stage/nodes-on-mongo.js';

/** Longest recovery, ms: work of a lost node counts as abandoned after 9 s, then a sweep and an attempt follow. */
const TAKEN_OVER_MS = 20_000;

describe('loss of one of two nodes', () => {
  const nodes = nodesOnMongo();
  let flaky: FlakyReceiver | undefined;
  let receiver: Receiver | undefined;

  afterEach(async () => {
    await flaky?.stop();
    await receiver?.stop();
    flaky = receiver = undefined;
  });

  it('under load loses nothing that was acknowledged, and fires nothing under two ids', async () => {
    const [one, other] = await Promise.all([nodes().start(), nodes().start()]);
    flaky = await flakyReceiver(seeded(30_261));
    const world = await worldAt([one.url, other.url], flaky.url, seeded(30_262));
    const clients = Array.from({ length: 8 }, () => client(world));
    await eventually(
      () => (flaky!.counts().firings > 300 ? true : undefined),
      SOON_MS,
      () => 'few firings',
    );
    await one.kill('SIGKILL');
    world.urls = [other.url];
    const sofar = flaky.counts().firings;
    await eventually(
      () => (flaky!.counts().firings > sofar + 300 ? true : undefined),
      SOON_MS,
      () => 'few firings',
    );
    world.running = false;
    await Promise.all(clients);
    flaky.behave();
    await auditState(world);
    await auditFacts(world, flaky, TAKEN_OVER_MS);
  });

  it('passes its last change to the other node within a second', async () => {
    const [one, other] = await Promise.all([nodes().start(), nodes().start()]);
    const lost = await apiClient(one.url);
    const survivor = await apiClient(other.url);
    const server = '/v1.0/demo/servers/web-1';
    const made = await lost.call('POST', `${server}/rules`, ALWAYS);
    const rule = `${server}/rules/${String(made.body['ruleId'])}`;
    // The other node has the server in memory, without the change.
    expect((await survivor.call('GET', rule)).status).to.equal(200);
    expect((await lost.call('PUT', rule, { name: 'changed' })).status).to.equal(200);
    await one.kill('SIGKILL');
    await eventually(
      async () =>
        (await survivor.call('GET', rule)).body['name'] === ('changed' as never) ? true : undefined,
      1_000,
      () => 'the other node shows the old rule',
    );
  });

  it('passes its attempts in flight and its waiting retries to the other node', async () => {
    let dead = false;
    const kept = new Map<string, Set<string>>();
    const arrived = new Set<string>();
    let hanging = 0;
    receiver = await startReceiver((response, { headers, body }) => {
      const id = String(headers['webhook-id']);
      kept.set(id, (kept.get(id) ?? new Set()).add(body));
      if (dead) {
        arrived.add(id);
        response.writeHead(200).end();
      } else if (hanging < 5) hanging += 1;
      else response.writeHead(503, { 'retry-after': '3' }).end();
    });
    const one = await nodes().start();
    const world = await worldAt([one.url], `${receiver.origin}/hook`, seeded(30_263));
    const [serverId, book] = [...world.books.servers][0]!;
    for (let sent = 0; sent < 10; sent += 1) await sendFact(world, serverId);
    await eventually(
      () => (kept.size === 20 ? true : undefined),
      SOON_MS,
      () => `${kept.size} attempts`,
    );

    const other = await nodes().start();
    await one.kill('SIGKILL');
    dead = true;
    await eventually(
      () => (arrived.size === 20 ? true : undefined),
      TAKEN_OVER_MS,
      () => `${arrived.size} of 20 arrived`,
    );
    expect(book.facts.size).to.equal(10);
    expect([...kept.keys()].toSorted()).to.deep.equal([...arrived].toSorted());
    expect([...kept.values()].filter((bodies) => bodies.size > 1)).to.deep.equal([]);
    world.urls = [other.url];
    await auditState(world);
  });
});
