import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ActorFault, startActors } from '../../src/actors/runtime.js';
import type { Actors } from '../../src/actors/kind.js';
import { DEFAULT_LIMITS } from '../../src/actors/overload.js';
import { endpointKind } from '../../src/delivery/endpoint/endpoint-kind.js';
import { receiverKind } from '../../src/delivery/receiver/receiver-kind.js';
import { createPolicy, type Policy, policyKinds } from '../../src/policy/policy.js';
import type { ServerContext } from '../../src/policy/server/server-context.js';
import { subscriptionOwner } from '../../src/policy/subscriptions/subscription-owner.js';
import { openLmdb } from '../../src/store/lmdb/lmdb.js';
import type { Store } from '../../src/store/port.js';
import { freeDeliveries } from '../delivery/queue/free-permits.js';
import { DOCUMENT_ATTRIBUTES } from '../../src/policy/facts/measuring-attributes.js';
import { Queue, until } from '../actors/stage/queue.js';
import { NOON, ruleOf, SETTINGS } from './server/driven-server.js';
import { remainsIn } from './server-remains.js';
import { standInBroker, type StandInBroker } from './subscriptions/stand-in-broker.js';
import type { Subscription } from '../../src/policy/state/subscription.js';
import { openQuietPlans } from '../../src/policy/quiet/plans.js';
import { specSeal } from '../delivery/spec-seal.js';

export const URL_1 = 'https://example.org/1';
const { ruleId: _, ...draft } = ruleOf();
export const DRAFT = draft;

interface Wanted {
  readonly ruleId: string;
  readonly url: string;
}

/** The policy API on a real runtime and a real store. The spec sets the time. */
export interface PolicyScene {
  readonly policy: Policy;
  readonly actors: Actors;
  readonly store: Store;
  readonly broker: StandInBroker;
  /** Types of the entries whose effects failed. */
  readonly failed: Queue<string>;
  now: number;
  /** Makes the operations of another node, on the same actors. */
  secondPolicy(): Policy;
  /** Moves the time to the next attempt of the entries in an outbox. */
  toNextRetry(): void;
  /** Resolves once `holds` does. Rejects after 5 s. */
  until(holds: () => Promise<boolean>): Promise<void>;
  /** Operations 15 to 17 on the server `web-1`. */
  add(wanted: Wanted): Promise<string>;
  remove(id: string): Promise<void>;
  get(id: string): Promise<Subscription>;
  /** Returns the server `web-1`; undefined if it is unknown. */
  server(): Promise<ServerContext | undefined>;
  /** Resolves once the outbox of `web-1` is empty. */
  outboxEmpty(): Promise<void>;
  /** Stops the runtime and starts another one on the same store. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a scene with the known tenant `acme`. `fed` is false for a service without a broker. `storeOf` returns the store of the
 * scene for a real one.
 */
export async function policyScene({
  fed = true,
  storeOf = (store: Store): Store => store,
} = {}): Promise<PolicyScene> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-policy-'));
  const store = storeOf(await openLmdb({ folder }));
  const broker = standInBroker();
  const failed = new Queue<string>();
  let ids = 0;
  const followed = new Set<string>();
  let time = NOON;
  const now = () => time;
  const plans = openQuietPlans(now);
  let actors = start();
  let policy = operations();

  function options() {
    const publicUrl = () => 'https://rules.example.org';
    const headers = { 'X-Facts-Key': 'secret' };
    const there = {
      entityType: 'host',
      attributes: DOCUMENT_ATTRIBUTES,
      tenantOf: (id: string) => `t_${id}`,
    };
    const use = { port: broker, publicUrl, headers, followed, ...there };
    return { store, broker: fed ? use : undefined, plans, remains: remainsIn(store, now), now };
  }

  function start(): Actors {
    const started: Actors = startActors({
      store,
      now,
      kinds: [
        ...policyKinds({
          ...options(),
          settings: SETTINGS,
          deliveries: freeDeliveries(() => started, store),
        }),
        endpointKind({
          now,
          onDeadLetterEnded: () => {},
          store,
          owner: subscriptionOwner(now),
          deadMs: 30 * 86_400_000,
        }),
        receiverKind({ now, store, owner: subscriptionOwner(now), keepMs: 30 * 86_400_000 }),
      ],
      limits: { sweepMs: 5 },
      onFault: ({ what, type }: ActorFault) => failed.push(`${what} ${type ?? ''}`),
    });
    return started;
  }

  function operations(): Policy {
    return createPolicy({
      ...options(),
      webhookMaster: Buffer.alloc(32),
      headerSeal: specSeal,
      publicUrl: () => 'http://localhost',
      actors,
      newId: () => `id${(ids += 1)}`,
    });
  }

  const scene: PolicyScene = {
    get policy() {
      return policy;
    },
    get actors() {
      return actors;
    },
    store,
    broker,
    failed,
    get now() {
      return time;
    },
    set now(at) {
      time = at;
    },
    secondPolicy: operations,
    toNextRetry() {
      time += DEFAULT_LIMITS.retryMs;
    },
    until,
    add: (wanted) => policy.subscriptions.add('acme', 'web-1', wanted),
    remove: (id) => policy.subscriptions.remove('acme', 'web-1', id),
    get: async (id) => (await policy.subscriptions.get('acme', 'web-1', id)).subscription,
    server: () => policy.servers.read('acme', 'web-1'),
    outboxEmpty: () => until(async () => (await scene.server())?.outbox.length === 0),
    async restart() {
      await actors.close();
      actors = start();
      policy = operations();
    },
    async close() {
      await actors.close();
      await closeStore(store, folder);
    },
  };
  await policy.tenants.seen({ id: 'acme', name: 'Acme' });
  return scene;
}

/** Adds a rule to the server `web-1`. `wanted` is a subscription to it. */
export async function withRule(scene: PolicyScene): Promise<{ scene: PolicyScene; wanted: Wanted }> {
  const [ruleId] = await scene.policy.servers.addRules('acme', 'web-1', [DRAFT]);
  return { scene, wanted: { ruleId: ruleId!, url: URL_1 } };
}

async function closeStore(store: Store, folder: string): Promise<void> {
  await store.close();
  await rm(folder, { recursive: true });
}
