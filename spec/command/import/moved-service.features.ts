import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import type { Got } from '../../delivery/senders/receiver.js';
import { addGeneric, addRule, cpu, factsBody, firedIn, okBody, subscribe } from '../../e2e/policy/actions.js';
import { type ApiClient, request } from '../../e2e/api-client.js';
import { building, ENTITIES, receiptIn, settingsFor, UPSERT } from '../../e2e/ledger/scene.js';
import { type Scene, scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { startAnvil } from '../../servers/chain.js';
import { writtenFiles } from '../../written-files.js';
import { runWords } from '../command-runs.js';

type Settings = Readonly<Record<string, string>>;

/** Servers of the load, and the measurements of each before and while it is exported. */
const SERVERS = 40;
const BEFORE = 10;
/** The entry of an import in the audit. */
const IMPORTED = { who: 'operator', via: 'command', what: 'import', target: 'tenant' };

/**
 * The behaviour of a service whose store was exported and imported. `makePlaces`: settings of empty stores, one after the other.
 */
export function movedServiceFeatures(makePlaces: () => Promise<readonly Settings[]>): void {
  const open = scenes();
  const written = writtenFiles();

  it('answers as before, sends what waits once, and goes on counting', async () => {
    const anvil = open.keep(await startAnvil(), (one) => one.stop());
    const common = settingsFor(anvil.url, await deployTimestamper(anvil.url));
    let works = false;
    const receiver = await open.receiver((response) => response.writeHead(works ? 200 : 503).end());
    const [first, ...others] = await makePlaces();
    let service = await open.service({ ...common, ...first });
    const { api } = service;
    const { waiting, entity, key } = await story(service, receiver.origin);
    const before = await viewOf(service, entity, waiting.rules);
    await service.close();
    let from = first!;
    for (const place of others) {
      const file = written.pathOf('moved.ndjson');
      // A node of MongoDB counts as live for 10 s after its end.
      if (from['MONGODB_URL'] === undefined)
        await succeed(['export', '--stopped', file], { ...common, ...from });
      else {
        const asked = await open.service({ ...common, ...from });
        await succeed(['export', file, '--mirzam-url', asked.url]);
        await asked.close();
      }
      await succeed(['import', file], { ...common, ...place });
      from = place;
    }
    const tried = receiver.got.length;
    service = await open.service({ ...common, ...from });
    const moved = { ...service, api: { ...api, call: callerOf(service.url, api.token) } };
    const after = await viewOf(moved, entity, waiting.rules);
    for (const [path, answer] of Object.entries(before)) expect(after[path], path).to.deep.equal(answer);

    const { audit } = okBody(await moved.api.call('GET', '/v1.0/demo/audit?what=import')) as unknown as {
      audit: readonly { tenantId: string; at: string; after: { documents: number } }[];
    };
    expect(audit).to.have.length(others.length);
    for (const { at, after: imported, ...entry } of audit) {
      expect(entry).to.deep.equal({ tenantId: entry.tenantId, ...IMPORTED });
      expect(Date.parse(at)).to.be.within(Date.now() - 120_000, Date.now());
      expect(imported.documents).to.be.above(10);
    }

    const again = await request(`${service.url}${ENTITIES}`, 'POST', key.body, {
      'idempotency-key': key.name,
    });
    expect(receiptIn(again).transactionHash).to.equal(key.transactionHash);
    works = true;
    const answered = (): readonly Got[] => receiver.got.slice(tried);
    const sent = await eventually(
      () => (new Set(answered().map(idOf)).size >= waiting.ids.length ? answered() : undefined),
      SOON_MS * 3,
      () => `${answered().length} of ${waiting.ids.length} arrived`,
    );
    expect([...new Set(sent.map(idOf))].toSorted()).to.deep.equal(waiting.ids);
    const { secret } = okBody(await moved.api.call('GET', '/v1.0/demo/webhook-secret')) as unknown as {
      secret: string;
    };
    for (const { body, headers } of sent) new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(await cpu(moved.api, 'web-1', 97)).to.equal(waiting.facts + 1);
  });

  it('loses no message and makes none twice if it is exported while it works', async () => {
    let works = false;
    const receiver = await open.receiver((response) => response.writeHead(works ? 200 : 503).end());
    const [from, to] = await makePlaces();
    const service = await open.service(from);
    const { api } = service;
    okBody(await api.call('PUT', '/v1.0/demo', { windowsize: 1 }));
    const rule = await addGeneric(api);
    const names = Array.from({ length: SERVERS }, (_, i) => `web-${i}`);
    await Promise.all(names.map((name) => subscribe(api, name, rule, `${receiver.origin}/${name}`)));
    const round = (): Promise<unknown> => Promise.all(names.map((name) => cpu(api, name, 50)));
    for (let i = 0; i < BEFORE; i += 1) await round();
    const exporting = succeed(['export', written.pathOf('busy.ndjson'), '--mirzam-url', service.url]);
    const progress = { isOver: false };
    const over = exporting.finally(() => (progress.isOver = true));
    while (!progress.isOver) await round();
    await over;
    await service.close();
    await succeed(['import', written.pathOf('busy.ndjson')], to);
    const tried = receiver.got.length;
    works = true;
    const moved = await open.service(to);
    const call = callerOf(moved.url, api.token);
    const expected: string[] = [];
    for (const name of names) {
      const explained = okBody(await call('GET', `/v1.0/demo/servers/${name}/rules/${rule}/explain`));
      const { id } = explained['lastFact'] as unknown as { id: number };
      expect(id).to.be.at.least(BEFORE);
      for (let fact = 1; fact <= id; fact += 1) expected.push(`${name} ${fact}`);
    }
    const arrived = (): readonly string[] =>
      firedIn(receiver.got.slice(tried)).map(({ serverId, factId }) => `${serverId} ${factId}`);
    const isArrived = (): boolean => {
      const all = new Set(arrived());
      return expected.every((firing) => all.has(firing));
    };
    // Nothing waits any more, so nothing else can arrive.
    await eventually(
      async () => (isArrived() && (await pendingOf({ ...api, call })).length === 0 ? true : undefined),
      SOON_MS,
      () => `${new Set(arrived()).size} firings arrived, ${expected.length} are expected`,
    );
    expect([...new Set(arrived())].toSorted()).to.deep.equal(expected.toSorted());
    // A message has one id, whoever sends it.
    const ids = new Map(receiver.got.map(({ body, headers }) => [body, headers['webhook-id']]));
    expect(ids.size).to.equal(new Set(ids.values()).size);
    expect(new Set(receiver.got.slice(tried).map(idOf)).size).to.equal(expected.length);
  });
}

/** Rules, measurements, messages that wait, a quiet time, and operations of the ledger. */
async function story({ url, api }: Scene, origin: string) {
  okBody(await api.call('PUT', '/v1.0/demo', { windowsize: 3 }));
  const busy = {
    name: 'busy',
    condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
    repeat: 0,
    resolve: true,
    action: { actionName: 'notify-scale', operation: 'scaleUp' },
  };
  const own = await addRule(api, 'web-1', busy);
  const generic = await addGeneric(api, {
    ...busy,
    name: 'any',
    repeat: 1,
    labels: { severity: 'critical' },
  });
  for (const server of ['web-1', 'web-2']) await subscribe(api, server, generic, `${origin}/any`);
  await subscribe(api, 'web-1', own, `${origin}/own`);
  const quiet = { servers: ['db-*'], duration: 3_600, rrule: 'FREQ=DAILY', start: '2026-12-01T22:00:00' };
  okBody(await api.call('PUT', '/v1.0/demo/quiet/nights', quiet));
  let facts = 0;
  for (const value of [88, 91, 93, 95, 97]) facts = await cpu(api, 'web-1', value);
  okBody(await api.call('POST', '/demo/servers/web-2', factsBody({ cpuLoadPct: '12' })));
  const entity = building();
  const body = building();
  const recorded = await request(`${url}${ENTITIES}`, 'POST', body, { 'idempotency-key': '"once"' });
  receiptIn(await request(`${url}${ENTITIES}`, 'POST', entity));
  receiptIn(await request(`${url}${UPSERT}`, 'POST', [entity, building()]));
  const ids = await eventually(
    async () => {
      const found = (await pendingOf(api)).filter(({ attempts }) => attempts.length > 0).map(({ id }) => id);
      return found.length >= 2 ? found.toSorted() : undefined;
    },
    SOON_MS,
    () => 'the messages do not wait',
  );
  return {
    waiting: { ids, facts, rules: [own, generic] },
    entity,
    key: { name: '"once"', body, transactionHash: receiptIn(recorded).transactionHash },
  };
}

interface Pending {
  readonly id: string;
  readonly attempts: readonly unknown[];
}

async function pendingOf(api: ApiClient): Promise<readonly Pending[]> {
  return okBody(await api.call('GET', '/operator/deliveries?state=pending'))[
    'deliveries'
  ] as unknown as Pending[];
}

/** All that the service answers about what the story has made. */
async function viewOf({ url, api }: Scene, entity: { readonly id: string }, rules: readonly string[]) {
  const view: Record<string, unknown> = {};
  const demo = '/v1.0/demo';
  const paths = [
    `${demo}/rules`,
    `${demo}/quiet`,
    `${demo}/webhook-secret`,
    `${demo}/fleet`,
    `${demo}/rules-status`,
    `${demo}/subscriptions`,
    `${demo}/servers/web-1`,
    `${demo}/servers/web-1/history`,
    `${demo}/servers/web-1/trend?metric=cpu`,
    ...rules.map((rule) => `${demo}/servers/web-1/rules/${rule}/explain`),
    `${demo}/servers/web-2/rules/${rules[1]}/explain`,
    '/entity',
    `/entity/${entity.id}`,
  ];
  for (const path of paths) {
    const { status, text } = await api.call('GET', path);
    expect(status, `${path}: ${text}`).to.equal(200);
    view[path] = JSON.parse(text);
  }
  view['windowsize'] = okBody(await api.call('GET', demo))['windowsize'];
  const { txDetails } = view[`/entity/${entity.id}`] as {
    txDetails: readonly { readonly transactionHash: string }[];
  };
  for (const { transactionHash } of txDetails) {
    const verdict = await request(`${url}/ledger/verify`, 'POST', { transactionHash, entity });
    view[transactionHash] = verdict.body;
  }
  // Attempts go on.
  view['pending'] = (await pendingOf(api)).map(({ id }) => id).toSorted();
  return view;
}

function callerOf(url: string, token: string): ApiClient['call'] {
  return (method, path, body, headers = {}) =>
    request(url + path, method, body, { 'x-auth-token': token, ...headers });
}

function idOf({ headers }: Got): string {
  return String(headers['webhook-id']);
}

/** Runs a command. Fails with what it wrote unless it ends with 0. */
async function succeed(words: readonly string[], environment: Settings = {}): Promise<void> {
  const { code, err } = await runWords(words, environment);
  expect([code, err]).to.deep.equal([0, '']);
}
