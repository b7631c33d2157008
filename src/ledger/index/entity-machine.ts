import { setup } from 'xstate';
import { decides, following } from '../../actors/decides.js';
import { type PerformedEvent, removePerformed } from '../../actors/outbox.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';
import type { Hex } from '../../chain/port.js';
import { ENTITY } from '../addresses.js';
import type { OperationName } from '../shapes.js';
import { pageEffect, type PageEffect, pageEffects } from './page-machine.js';
import { addedAll, type Addition, EMPTY, ENTITY_PAGE, type PagedList, type Unchecked } from './paged-list.js';

/** An entity with the list of its transactions. */
export interface EntityContext extends ActorContext, PagedList {
  readonly entityId: string;
  /** The newest transaction, for operators. */
  readonly last: LastOperation | undefined;
  /** By entity index: true once it holds the entity; before that, its count from before the entity was first added. */
  readonly indexes: Readonly<Record<string, number | true>>;
  readonly outbox: readonly PageEffect[];
}

interface LastOperation {
  readonly operation: OperationName;
  readonly transactionHash: string;
  readonly ok: boolean;
  /** ms since the epoch. */
  readonly at: number;
}

/** The reply to `record`. */
export type Recording = ({ readonly is: 'unchecked' } & Unchecked) | Recorded;

/** The entity lists the transaction. */
export interface Recorded {
  readonly is: 'recorded';
  /** The indexes that do not hold the entity yet, each with the position from which it may be there. */
  readonly unindexed: Readonly<Record<string, number>>;
}

export type EntityEvent = ActorEvent &
  (
    | ({
        readonly type: 'record';
        readonly entityId: string;
        readonly operation: OperationName;
        readonly transactionHash: string;
        readonly ok: boolean;
        /** The counts of the entity indexes that are to hold the entity. */
        readonly indexes: Readonly<Record<string, number>>;
      } & Addition)
    | { readonly type: 'indexed'; readonly indexes: readonly string[] }
    | PerformedEvent
    | { readonly type: 'wake' }
  );

/** A transaction of the entity is in a block. */
export type RecordEvent = Extract<EntityEvent, { readonly type: 'record' }>;
type IndexedEvent = Extract<EntityEvent, { readonly type: 'indexed' }>;

const STATES = ['unrecorded', 'recorded', 'failed'] as const;

/** Returns the state of an entity: `failed` if its newest transaction is in a block and has recorded nothing. */
function stateOf({ last }: Pick<EntityContext, 'last'>): (typeof STATES)[number] {
  if (last === undefined) return 'unrecorded';
  return last.ok ? 'recorded' : 'failed';
}

/** The machine of an entity. Its state follows from its context: see `stateOf`. */
const entityMachine = setup({
  types: { context: {} as EntityContext, events: {} as EntityEvent },
}).createMachine({
  id: 'entity',
  context: {
    entityId: '',
    ...EMPTY,
    last: undefined,
    indexes: {},
    outbox: [],
    wakeAt: undefined,
    reply: undefined,
  },
  initial: 'unrecorded',
  on: {
    record: { actions: decides(record) },
    indexed: { actions: decides(indexed) },
    performed: { actions: decides(removePerformed) },
  },
  states: following(stateOf, STATES),
});

/**
 * Returns the newest transaction after the event; `isListed`: the list held it before. One that comes again may be in
 * another block, with another receipt.
 */
function lastAfter(
  { last }: EntityContext,
  event: RecordEvent,
  isListed: boolean,
): LastOperation | undefined {
  const { operation, transactionHash, ok, now: at } = event;
  const isAgain = last !== undefined && last.transactionHash === transactionHash;
  return (isAgain ? last.ok === ok : isListed) ? last : { operation, transactionHash, ok, at };
}

function record(context: EntityContext, event: RecordEvent): Partial<EntityContext> {
  const { list, pages, outcomes } = addedAll(context, [event], ENTITY_PAGE);
  const [outcome] = outcomes;
  if (typeof outcome === 'object') return { reply: { is: 'unchecked', ...outcome } satisfies Recording };
  const indexes = { ...event.indexes, ...context.indexes };
  const reply: Recording = { is: 'recorded', unindexed: unindexedOf({ indexes }) };
  const last = lastAfter(context, event, outcome === 'there');
  if (outcome === 'there') return { reply, last };
  return {
    reply,
    entityId: event.entityId,
    ...list,
    indexes,
    last,
    outbox: pages.length > 0 ? [...context.outbox, ...pages.map(pageEffect)] : context.outbox,
  };
}

function indexed(context: EntityContext, event: IndexedEvent): Partial<EntityContext> {
  const names = event.indexes.map((name): [string, true] => [name, true]);
  return { indexes: { ...context.indexes, ...Object.fromEntries(names) } };
}

/** Returns the entity indexes that do not hold the entity yet. */
export function unindexedOf({ indexes }: Pick<EntityContext, 'indexes'>): Recorded['unindexed'] {
  return Object.fromEntries(
    Object.entries(indexes).filter((entry): entry is [string, number] => entry[1] !== true),
  );
}

/** The kind of the entities. */
export function entityKind(now: () => number): ActorKind {
  return {
    name: ENTITY,
    version: 1,
    machine: entityMachine,
    stateOf,
    effects: pageEffects(now),
    evictAfter: ['recorded', 'failed'],
    unindexedState: 'recorded',
  };
}

/** A transaction in the list of an entity. */
export interface Item {
  /** Name of the chain. */
  readonly chain: string;
  readonly hash: Hex;
  /** Index of the entity's entry in a batch; undefined if the transaction is not a batch. */
  readonly index: number | undefined;
  /** The operation's. */
  readonly tenant: string | undefined;
}

/** Returns the text of an item in the list. */
export function itemText({ chain, hash, index, tenant }: Item): string {
  return `${chain} ${hash} ${index ?? ''} ${tenant ?? ''}`.trimEnd();
}

/** The inverse of `itemText`. */
export function itemOf(text: string): Item {
  const [chain, hash, index = '', tenant] = text.split(' ');
  return {
    chain: chain!,
    hash: hash as Hex,
    index: index === '' ? undefined : Number(index),
    tenant: tenant === '' ? undefined : tenant,
  };
}
