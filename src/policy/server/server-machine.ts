import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { Address } from '../../store/port.js';
import { takeFacts } from './evaluate.js';
import type { ServerSettings } from './evaluate.js';
import type { ServerContext, ServerEvent } from './server-context.js';
import * as intents from '../subscriptions/broker-intents.js';
import * as decide from './server-decisions.js';
import { EMPTY_WINDOWS } from './window.js';

type FactsEvent = Extract<ServerEvent, { type: 'facts' }>;
type Seen = { readonly context: ServerContext };

// Given as functions and not by name: the machine looks at them with every fact.
const isWatched = ({ context }: Seen): boolean => context.subscriptions.length > 0;
const isUnwatched = ({ context }: Seen): boolean => context.subscriptions.length === 0;
const isFull = ({ context }: Seen): boolean => context.full;
const isNotFull = ({ context }: Seen): boolean => !context.full;
const isFiring = ({ context }: Seen): boolean => context.firing;
const isForgotten = ({ context, event }: Seen & { event: ServerEvent }): boolean =>
  (event.type === 'abandon' || event.type === 'retracted') && intents.forgets(context, event);
const isCalm = ({ context }: Seen): boolean => !context.firing;

/**
 * The machine of a server. Its events change the context; the state follows from it: `unwatched` without
 * subscriptions, `filling` while a watched window is not full, `watching`, and `firing` while the last evaluation of
 * a rule held. One that was known by an intent alone, which came to nothing, is `gone`.
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
    context: ({ input }) => ({
      address: input.address,
      factId: 0,
      windows: EMPTY_WINDOWS,
      windowVersion: 0,
      full: false,
      firing: false,
      mail: {},
      unsent: undefined,
      rules: [],
      subscriptions: [],
      ended: [],
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    }),
    initial: 'unwatched',
    on: {
      facts: {
        actions: decides((context: ServerContext, event: FactsEvent) => takeFacts(context, event, settings)),
      },
      addRules: { actions: decides(decide.addRules) },
      changeRule: { actions: decides(decide.changeRule) },
      removeRule: { actions: decides(decide.removeRule) },
      endRule: { actions: decides(decide.endRule) },
      subscribe: { actions: decides(decide.subscribe) },
      unsubscribe: { actions: decides(decide.unsubscribe) },
      discard: { actions: decides(decide.discard) },
      intend: { actions: decides(decide.intend) },
      abandon: [{ guard: isForgotten, target: '.gone' }, { actions: decides(intents.abandon) }],
      settle: { actions: decides(intents.settle) },
      retracted: [{ guard: isForgotten, target: '.gone' }, { actions: decides(intents.retracted) }],
      suspend: { actions: decides(decide.suspend) },
      renewed: { actions: decides(decide.renewed) },
      performed: { actions: decides(decide.performed) },
      handedOver: { actions: decides(decide.handedOver) },
      wake: { actions: decides(decide.wake) },
    },
    states: {
      unwatched: { always: { guard: isWatched, target: 'filling' } },
      gone: {},
      filling: {
        always: [
          { guard: isUnwatched, target: 'unwatched' },
          { guard: isFull, target: 'watching' },
        ],
      },
      watching: {
        always: [
          { guard: isUnwatched, target: 'unwatched' },
          { guard: isNotFull, target: 'filling' },
          { guard: isFiring, target: 'firing' },
        ],
      },
      firing: {
        always: [
          { guard: isUnwatched, target: 'unwatched' },
          { guard: isNotFull, target: 'filling' },
          { guard: isCalm, target: 'watching' },
        ],
      },
    },
  });
}
