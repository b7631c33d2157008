import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import { removePerformed } from '../../actors/outbox.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';
import { ENTITY } from '../addresses.js';
import type { OperationName } from '../operation.js';
import { pageEffect, pageEffects } from './page-machine.js';
import type { PageEffect, PageEffectOptions } from './page-machine.js';
import { added, EMPTY } from './paged-list.js';
import type { Addition, PagedList } from './paged-list.js';

/** What an entity knows of the transactions that were recorded for it. */
export interface EntityContext extends ActorContext, PagedList {
  readonly entityId: string;
  /** The last operation whose receipt came, for operators. */
  readonly last: LastOperation | undefined;
  /**
   * The registers that the entity belongs in: true once it is in, before that the count of the register from before
   * it was first added.
   */
  readonly registers: Readonly<Record<string, number | true>>;
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
export type Recording =
  | { readonly is: 'unchecked'; readonly below: number }
  | { readonly is: 'recorded'; readonly unregistered: Unregistered };

/** Each register that does not have the entity yet, and from where on it might. */
export type Unregistered = Readonly<Record<string, number>>;

export type EntityEvent = ActorEvent &
  (
    | ({
        readonly type: 'record';
        readonly entityId: string;
        readonly operation: OperationName;
        readonly transactionHash: string;
        readonly ok: boolean;
        /** The registers that it belongs in, and how many entities they are known to have. */
        readonly registers: Readonly<Record<string, number>>;
      } & Addition)
    | { readonly type: 'registered'; readonly registers: readonly string[] }
    | { readonly type: 'performed'; readonly entryId: string }
    | { readonly type: 'wake' }
  );

/** A transaction of the entity is in a block. */
export type RecordEvent = Extract<EntityEvent, { readonly type: 'record' }>;
type RegisteredEvent = Extract<EntityEvent, { readonly type: 'registered' }>;

/** Transactions in a page of an entity. */
export const ENTITY_PAGE = 50;

/** The state of an entity: `failed` if the contract reverted its newest transaction. */
function stateOf({ last }: Pick<EntityContext, 'last'>): 'unrecorded' | 'recorded' | 'failed' {
  if (last === undefined) return 'unrecorded';
  return last.ok ? 'recorded' : 'failed';
}

const isThen =
  (state: ReturnType<typeof stateOf>) =>
  ({ context, event }: { readonly context: EntityContext; readonly event: RecordEvent }): boolean =>
    stateOf({ ...context, ...record(context, event) }) === state;

/** The machine of an entity: its state is `stateOf(context)`. */
const entityMachine = setup({
  types: { context: {} as EntityContext, events: {} as EntityEvent },
}).createMachine({
  id: 'entity',
  context: {
    entityId: '',
    ...EMPTY,
    last: undefined,
    registers: {},
    outbox: [],
    wakeAt: undefined,
    reply: undefined,
  },
  initial: 'unrecorded',
  on: {
    record: [
      { guard: isThen('recorded'), target: '.recorded', actions: decides(record) },
      { guard: isThen('failed'), target: '.failed', actions: decides(record) },
      { actions: decides(record) },
    ],
    registered: { actions: decides(registered) },
    performed: { actions: decides(removePerformed) },
  },
  states: { unrecorded: {}, recorded: {}, failed: {} },
});

function record(context: EntityContext, event: RecordEvent): Partial<EntityContext> {
  const outcome = added(context, event, ENTITY_PAGE);
  if (outcome.is === 'unchecked') return { reply: outcome satisfies Recording };
  const registers = { ...event.registers, ...context.registers };
  const reply: Recording = { is: 'recorded', unregistered: unregisteredOf({ registers }) };
  if (outcome.is === 'there') return { reply };
  const { entityId, operation, transactionHash, ok, now } = event;
  return {
    reply,
    entityId,
    ...outcome.list,
    registers,
    last: { operation, transactionHash, ok, at: now },
    outbox: outcome.page ? [...context.outbox, pageEffect(outcome.page)] : context.outbox,
  };
}

function registered(context: EntityContext, event: RegisteredEvent): Partial<EntityContext> {
  const names = event.registers.map((name): [string, true] => [name, true]);
  return { registers: { ...context.registers, ...Object.fromEntries(names) } };
}

/** The registers that an entity still has to be put into. */
export function unregisteredOf({ registers }: Pick<EntityContext, 'registers'>): Unregistered {
  return Object.fromEntries(
    Object.entries(registers).filter((entry): entry is [string, number] => entry[1] !== true),
  );
}

/** The kind of the entities. */
export function entityKind(options: PageEffectOptions): ActorKind {
  return {
    name: ENTITY,
    version: 2,
    // Its id was in the cold text.
    migrate: (old) => old,
    machine: entityMachine,
    rarelyWritten: [],
    effects: pageEffects(options),
    evictAfter: ['recorded', 'failed'],
    unindexedState: 'recorded',
  };
}
