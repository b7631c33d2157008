import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';

export const TENANT_NAME = 'tenant-name';

/** Which tenant a name stands for. */
export interface TenantNameContext extends ActorContext {
  readonly tenantId: string | undefined;
}

type BindEvent = ActorEvent & { readonly type: 'bind'; readonly tenantId: string };
/** Ends the name of a deleted tenant; that of another one stays. */
type EraseEvent = ActorEvent & { readonly type: 'erase'; readonly tenantId: string };
export type TenantNameEvent = BindEvent | EraseEvent | (ActorEvent & { readonly type: 'wake' });

/** States: `free`, then `bound` until the tenant is deleted. The first tenant keeps the name; later `bind` events change nothing. */
const tenantNameMachine = setup({
  types: { context: {} as TenantNameContext, events: {} as TenantNameEvent },
}).createMachine({
  id: 'tenant-name',
  context: { tenantId: undefined, outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'free',
  states: {
    free: {
      on: {
        bind: {
          target: 'bound',
          actions: decides((_: TenantNameContext, { tenantId }: BindEvent) => ({ tenantId })),
        },
      },
    },
    bound: {
      on: { erase: { guard: ({ context, event }) => context.tenantId === event.tenantId, target: 'gone' } },
    },
    gone: {},
  },
});

/**
 * The kind of the actor of a tenant's name. Facts can be addressed to a tenant by its name. A tenant that takes the
 * name of another tenant must not receive the facts of that tenant.
 */
export const tenantNameKind: ActorKind = {
  name: TENANT_NAME,
  version: 1,
  machine: tenantNameMachine,
  deletedState: 'gone',
  effects: {},
};
