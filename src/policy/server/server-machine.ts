import { setup } from 'xstate';
import { decides, following } from '../../actors/decides.js';
import { removePerformed } from '../../actors/outbox.js';
import type { Address } from '../../store/port.js';
import { acknowledge } from './acknowledge.js';
import * as intents from './broker-intents.js';
import * as leases from './broker-leases.js';
import * as suppression from './suppression.js';
import type { EventOf, ServerContext, ServerEvent } from './server-context.js';
import { reconciled } from './reconcile.js';
import * as decisions from './server-decisions.js';
import { onTenantCopy } from './tenant-copy.js';
import { noDataTimeout, type ServerSettings, takeFacts } from './take-facts.js';
import { wake } from './wake.js';
import { STATE_NAMES, stateName } from '../state/subscription-state.js';
import { EMPTY_WINDOWS } from '../windows/window.js';

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

const isForgotten = ({ context, event }: { context: ServerContext; event: ServerEvent }): boolean =>
  (event.type === 'abandon' || event.type === 'retracted') && intents.forgets(context, event);

/** Returns the context of a server of which nothing is known. */
export function newServer(address: Address): ServerContext {
  return {
    address,
    factId: 0,
    windows: EMPTY_WINDOWS,
    windowVersion: 0,
    tenantVersion: undefined,
    mail: {},
    newest: undefined,
    unsent: undefined,
    states: [],
    noDataAt: undefined,
    ignored: undefined,
    ignoredWrittenAt: undefined,
    recorded: undefined,
    trend: undefined,
    trended: [],
    closed: [],
    rules: [],
    subscriptions: [],
    ended: [],
    outbox: [],
    wakeAt: undefined,
    reply: undefined,
  };
}

/**
 * The machine of a server. Its events change the context, and the state follows: see `stateOf`. A server that was known
 * by an intent alone becomes `gone` when nothing comes of the intent; its document is deleted.
 */
export function serverMachine(settings: ServerSettings) {
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
        actions: decides(
          onTenantCopy((context, event: EventOf<'facts'>) => takeFacts(context, event, settings)),
        ),
      },
      addRules: { actions: decides(decisions.addRules) },
      changeRule: { actions: decides(onTenantCopy(decisions.changeRule)) },
      rulesChanged: { actions: decides(onTenantCopy<EventOf<'rulesChanged'>>(reconciled)) },
      removeRule: { actions: decides(decisions.removeRule) },
      subscribe: { actions: decides(onTenantCopy(decisions.subscribe)) },
      unsubscribe: { actions: decides(decisions.unsubscribe) },
      suspend: { actions: decides(suppression.suspend) },
      mute: { actions: decides(suppression.mute) },
      unmute: { actions: decides(suppression.unmute) },
      acknowledge: { actions: decides(acknowledge) },
      intend: { actions: decides(onTenantCopy(decisions.intend)) },
      discard: { actions: decides(intents.discard) },
      abandon: [{ guard: isForgotten, target: '.gone' }, { actions: decides(intents.abandon) }],
      settle: { actions: decides(intents.settle) },
      retracted: [{ guard: isForgotten, target: '.gone' }, { actions: decides(intents.retracted) }],
      renewed: { actions: decides(leases.renewed) },
      wake: { actions: decides(wake) },
      noDataTimeout: {
        actions: decides(
          onTenantCopy((context, event: EventOf<'noDataTimeout'>) => noDataTimeout(context, event, settings)),
        ),
      },
      performed: { actions: decides(removePerformed) },
      dispatched: { actions: decides(decisions.dispatched) },
    },
    states: { ...following(stateOf, SERVER_STATES), gone: {} },
  });
}
