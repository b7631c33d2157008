import { expect } from 'chai';
import { type ApiAnswer, request } from '../../e2e/api-client.js';
import type { ServerBook } from './books.js';
import type { World } from './clients.js';
import { eventually } from './eventually.js';
import type { FlakyReceiver } from './flaky-receiver.js';

type Get = (path: string) => Promise<ApiAnswer>;

/** Checks that all acknowledged resources exist, and none whose deletion was acknowledged. */
export async function auditState(world: World): Promise<void> {
  const { books } = world;
  const get = getter(world);
  expect(books.surprises).to.deep.equal([]);

  const generic = (await get('/v1.0/demo/rules')).body['rules'] as unknown as {
    ruleId: string;
    name: string;
  }[];
  const names = new Map(generic.map((rule) => [rule.ruleId, rule.name]));
  expect(
    [...books.genericRules].filter((id) => !names.has(id)),
    'lost generic rules',
  ).to.deep.equal([]);
  for (const [path, { acknowledged, asked }] of books.versions) {
    const name = names.get(path.split('/').at(-1)!)!;
    const version = name === 'always' ? 0 : Number(name.slice('version '.length));
    expect(version, path).to.be.within(acknowledged, asked);
  }
  for (const [serverId, book] of books.servers) await auditServer(get, serverId, book);
  for (const path of books.gone) expect((await get(path)).status, `${path} was removed`).to.equal(404);
}

async function auditServer(get: Get, serverId: string, book: ServerBook): Promise<void> {
  const base = `/v1.0/demo/servers/${serverId}`;
  if (book.rules.size + book.subscriptions.size + book.facts.size === 0) return;
  const { rules } = (await get(base)).body as unknown as { rules: { ruleId: string }[] };
  const kept = new Set(rules.map((rule) => rule.ruleId));
  expect(
    [...book.rules].filter((id) => !kept.has(id)),
    `lost rules of ${serverId}`,
  ).to.deep.equal([]);
  for (const [subscriptionId, { ruleId, url }] of book.subscriptions) {
    const { body } = await get(`${base}/subscription/${subscriptionId}`);
    expect(body, base).to.deep.equal({ subscriptionId, url, serverId, ruleId });
  }
}

/**
 * Checks that the numbers of each server's facts have no gap from 1, that each acknowledged number has its fact and each
 * other number a fact with an unknown outcome, and that each fact reached the webhook of each subscription under one id.
 */
export async function auditFacts(
  world: World,
  receiver: FlakyReceiver,
  withinMs: number,
): Promise<{ facts: number }> {
  const get = getter(world);
  let facts = 0;
  for (const [serverId, book] of world.books.servers) {
    if (book.firing.length === 0) continue;
    const last = (await serverActor(get, serverId)).context.factId;
    facts += last;
    expect(last, `facts of ${serverId}`).to.be.at.least(Math.max(0, ...book.facts.keys()));
    const unanswered = new Set(book.unanswered);
    for (let factId = 1; factId <= last; factId += 1) {
      for (const subscription of book.firing) {
        const fired = await eventually(
          () => receiver.delivered(subscription, factId),
          withinMs,
          () => traceOf(get, serverId, factId, subscription),
        );
        expect(fired.serverId).to.equal(serverId);
        const acknowledged = book.facts.get(factId);
        if (acknowledged !== undefined) expect(fired.measures.cpu, `fact ${factId}`).to.equal(acknowledged);
        else if (subscription === book.firing[0]) {
          expect(unanswered.delete(fired.measures.cpu), `who sent fact ${factId} of ${serverId}`).to.equal(
            true,
          );
        }
      }
    }
  }
  expect(receiver.surprises).to.deep.equal([]);
  const dead = await get('/operator/deliveries?state=dead');
  expect(dead.body['deliveries'], 'dead letters').to.deep.equal([]);
  return { facts };
}

/** Returns the service's view of a firing that did not arrive. */
async function traceOf(get: Get, serverId: string, factId: number, subscription: string): Promise<string> {
  const deliveries: string[] = [];
  for (let before: string | undefined; ;) {
    const { body } = await get(
      `/operator/deliveries?limit=1000${before === undefined ? '' : `&before=${before}`}`,
    );
    const page = body as unknown as { deliveries: unknown[]; next: string | null };
    deliveries.push(...page.deliveries.map((delivery) => JSON.stringify(delivery)));
    if (page.next === null) break;
    before = page.next;
  }
  const mine = deliveries.filter((text) => text.includes(subscription));
  const server = JSON.stringify((await serverActor(get, serverId)).context.outbox);
  return (
    `fact ${factId} of ${serverId} never reached the webhook of ${subscription}; its outbox: ${server}; ` +
    `not delivered: ${mine.filter((text) => !text.includes('"state":"delivered"')).join(', ')}; ` +
    `deliveries of its subscription: ${mine.length} of ${deliveries.length}`
  );
}

interface ServerActor {
  readonly context: { readonly factId: number; readonly outbox: readonly unknown[] };
}

/** Returns a server in the operators' view. */
async function serverActor(get: Get, serverId: string): Promise<ServerActor> {
  const listed = await get('/operator/actors?kind=tenant');
  const [{ tenant }] = listed.body['actors'] as unknown as [{ tenant: string }];
  return (await get(`/operator/actors/server/${tenant}/${serverId}`)).body as unknown as ServerActor;
}

function getter({ urls, token }: World): Get {
  return (path) => request(urls[0]! + path, 'GET', undefined, { 'x-auth-token': token });
}
