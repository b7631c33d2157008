import { setup } from 'xstate';
import { decides, following } from '../../actors/decides.js';
import { removePerformed } from '../../actors/outbox.js';
import type { Address } from '../../store/port.js';
import { acknowledge } from './acknowledge.js';
import * as intents from './broker-intents.js';
import * as leases from './broker-leases.js';
import * as suppression from './suppression.js';
import type { Change, EventOf, ServerContext, ServerEvent } from './server-context.js';
import * as erasing from './erasing.js';
import { planForgetting, planning, wakeOrForget } from './forgetting.js';
import { newServer } from './new-server.js';
import { reconciled } from './reconcile.js';
import * as decisions from './server-decisions.js';
import { onTenantCopy } from './tenant-copy.js';
import { noDataTimeout, type ServerSettings, takeFacts } from './take-facts.js';
import { STATE_NAMES, stateName } from '../state/subscription-state.js';

/** The states that follow from the context of a server. */
export const SERVER_STATES = [...STATE_NAMES, 'unwatched'] as const;
export type ServerState = (typeof SERVER_STATES)[number];

/** Returns the state of a server: the worst of its subscriptions', `unwatched` without subscriptions. */
export function stateOf({ subscriptions, states }: ServerContext): ServerState {
  let worst: ServerState = 'unwatched';
  for (let index = 0; index < subscriptions.length && worst !== 'firing'; index += 1) {
    const state = stateName(states[index]);
    if (SERVER_STATES.indexOf(state) < SERVER_STATES.indexOf(worst)) worst = state;
  }
  return worst;
}

type Given<T extends ServerEvent['type']> = { readonly context: ServerContext; readonly event: EventOf<T> };

const isForgotten = ({ context, event }: Given<'abandon'> | Given<'retracted'>): boolean =>
  intents.forgets(context, event);

/**
 * The machine of a server. Its events change the context, and the state follows: see `stateOf`. In `gone` its document is
 * deleted: at the end of a deletion, and if a server had nothing but an intent and the intent is given up.
 */
export function serverMachine(settings: ServerSettings) {
  const planned = <E extends ServerEvent>(decide: (context: ServerContext, event: E) => Change) =>
    decides(planning(decide, settings));
  return setup({
    types: {
      context: {} as ServerContext,
      events: {} as ServerEvent,
      input: {} as { address: Address },
    },
  }).createMachine({
    id: 'server',
    context: ({ input }) => newServer(input.address),
    initial: 'unwatched',
    on: {
      facts: {
        actions: planned(
          onTenantCopy((context, event: EventOf<'facts'>) => takeFacts(context, event, settings)),
        ),
      },
      addRules: { actions: decides(decisions.addRules) },
      changeRule: { actions: planned(onTenantCopy(decisions.changeRule)) },
      rulesChanged: { actions: planned(onTenantCopy<EventOf<'rulesChanged'>>(reconciled)) },
      removeRule: { actions: planned(decisions.removeRule) },
      subscribe: { actions: planned(onTenantCopy(decisions.subscribe)) },
      unsubscribe: { actions: planned(decisions.unsubscribe) },
      suspend: { actions: decides(suppression.suspend) },
      mute: { actions: decides(suppression.mute) },
      unmute: { actions: decides(suppression.unmute) },
      acknowledge: { actions: decides(acknowledge) },
      intend: { actions: planned(onTenantCopy(decisions.intend)) },
      discard: { actions: decides(intents.discard) },
      abandon: [{ guard: isForgotten, target: '.gone' }, { actions: decides(intents.abandon) }],
      settle: { actions: decides(intents.settle) },
      retracted: [{ guard: isForgotten, target: '.gone' }, { actions: decides(intents.retracted) }],
      renewed: { actions: decides(leases.renewed) },
      delete: { actions: decides(erasing.remove) },
      deleteWithTenant: [
        { guard: ({ context }) => erasing.isAway(context), target: '.gone' },
        { actions: decides(erasing.removeWithTenant) },
      ],
      erased: [
        { guard: ({ context, event }) => erasing.isErased(context, event), target: '.gone' },
        { actions: decides(erasing.erased) },
      ],
      planForgetting: {
        actions: decides((context: ServerContext, event: EventOf<'planForgetting'>) =>
          planForgetting(context, event, settings),
        ),
      },
      wake: {
        actions: decides((context: ServerContext, event: EventOf<'wake'>) =>
          wakeOrForget(context, event, settings),
        ),
      },
      noDataTimeout: {
        actions: planned(
          onTenantCopy((context, event: EventOf<'noDataTimeout'>) => noDataTimeout(context, event, settings)),
        ),
      },
      performed: { actions: decides(removePerformed) },
      dispatched: { actions: decides(decisions.dispatched) },
    },
    states: { ...following(stateOf, SERVER_STATES), gone: {} },
  });
}
