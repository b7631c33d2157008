import type { IsReadable } from '../actors/reading.js';
import type { Actors } from '../actors/kind.js';
import { Refusal } from '../errors.js';
import { choice, onlyOf, plain } from '../http/query.js';
import { READ, type Route, route } from '../http/router.js';
import type { NodeView } from '../ledger/account/pending-nonces.js';
import { ACCOUNT } from '../ledger/addresses.js';
import type { Store } from '../store/port.js';
import { listAccounts } from './accounts-view.js';
import { addressFrom, type LastFault, listActors, showActor, storedKinds } from './actors-view.js';
import { mailsIn, type ReadInbox } from './inbox.js';
import type { Metrics } from './metrics/metrics.js';
import { rangeOf } from './query.js';
import type { AccountsView, ActorsView } from './shapes.js';

export interface OperatorOptions {
  readonly actors: Actors;
  readonly store: Store;
  /** The store without the documents that this service cannot read. */
  readonly readable: Store;
  readonly isReadable: IsReadable;
  /** Kinds of actors by name, each with the states of its machine. */
  readonly states: ReadonlyMap<string, readonly string[]>;
  readonly metrics: Metrics;
  readonly version: string;
  /** Returns what this node knows of the ledger's pending nonces. undefined without a ledger. */
  readonly pendingNonces: (() => Omit<NodeView, 'hasOthers'>) | undefined;
  readonly inbox: ReadInbox;
  readonly lastFault: LastFault;
}

/** Routes for operators. All answers but the metrics are JSON. `operatorGroups` guard all but the version. */
export function operatorRoutes(options: OperatorOptions): readonly Route[] {
  const { actors, store, readable, states, isReadable } = options;
  const kinds = [...states.keys()];

  const version = route(READ, '/version', (ctx) => {
    ctx.body = { name: 'mirzam', version: options.version };
  });

  const metrics = route(READ, '/metrics', async (ctx) => {
    const { contentType, text } = await options.metrics.scrape();
    ctx.type = contentType;
    ctx.body = text;
  });

  const actorList = route(READ, '/operator/actors', async (ctx) => {
    onlyOf(ctx, ['kind', 'tenant', 'state', 'query', 'limit', 'after']);
    const all = await storedKinds(store, kinds);
    const kind = choice(ctx, 'kind', all);
    const asked = kind === undefined ? all : [kind];
    const known = new Set(asked.flatMap((one) => states.get(one) ?? []));
    // Of a kind of another release any state may be asked for.
    const state = known.size === 0 ? plain(ctx, 'state') : choice(ctx, 'state', [...known]);
    const filter = { kind, state, query: plain(ctx, 'query'), ...rangeOf(ctx, asked) };
    const { items, next } = await listActors(store, asked, filter, isReadable);
    ctx.body = { actors: items, next } satisfies ActorsView;
  });

  const actor = route(READ, '/operator/actors/:kind/*key', async (ctx) => {
    const { kind, key } = ctx.params as { kind: string; key: string };
    const all = await storedKinds(store, kinds);
    const address = all.includes(kind) ? addressFrom(kind, key) : undefined;
    const found =
      address === undefined
        ? undefined
        : await showActor(actors, store, address, isReadable, options.lastFault);
    if (found === undefined) {
      throw new Refusal(
        'not-found',
        `no such actor; a key is tenant/name, each as /operator/actors lists it; a kind is one of ${all.join(', ')}`,
      );
    }
    ctx.body = found;
  });

  const accounts = route(READ, '/operator/accounts', async (ctx) => {
    onlyOf(ctx, ['limit', 'after']);
    const range = rangeOf(ctx, [ACCOUNT]);
    const { pendingNonces } = options;
    const { items, next } =
      pendingNonces === undefined
        ? { items: [], next: null }
        : await listAccounts(readable, pendingNonces, range);
    ctx.body = { accounts: items, next } satisfies AccountsView;
  });

  const inbox = route(READ, '/operator/inbox', (ctx) => {
    ctx.body = mailsIn(options.inbox);
  });

  return [version, metrics, actorList, actor, accounts, inbox];
}
