import { assign, setup } from 'xstate';
import type { ActorContext, ActorEvent } from '../../actors/kind.js';

/** Which tenant a name stands for. */
export interface TenantNameContext extends ActorContext {
  readonly tenantId: string | undefined;
}

export type TenantNameEvent = ActorEvent &
  ({ readonly type: 'bind'; readonly tenantId: string } | { readonly type: 'wake' });

/**
 * The machine of a tenant's name, by which measurements may be addressed too. The first tenant seen under a name
 * keeps it, so that nobody can draw another's measurements to themselves by taking its name.
 */
export const tenantNameMachine = setup({
  types: { context: {} as TenantNameContext, events: {} as TenantNameEvent },
}).createMachine({
  id: 'tenant-name',
  context: { tenantId: undefined, outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'free',
  states: {
    free: {
      on: { bind: { target: 'bound', actions: assign(({ event }) => ({ tenantId: event.tenantId })) } },
    },
    bound: {},
  },
});
