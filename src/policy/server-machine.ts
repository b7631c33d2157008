import { assign, setup } from 'xstate';
import { deciding } from '../actors/deciding.js';
import type { Address } from '../store/port.js';
import { takeFacts } from './evaluate.js';
import type { ServerSettings } from './evaluate.js';
import type { ServerContext, ServerEvent } from './server-context.js';
import * as decide from './server-decisions.js';
import { EMPTY_WINDOWS } from './window.js';

/**
 * The machine of a server. Its events change the context; the state follows from it: `unwatched` without
 * subscriptions, `filling` while a watched window is not full, `watching`, and `firing` while the last evaluation of
 * a rule held.
 */
export function serverMachine(settings: ServerSettings) {
  return setup({
    types: {
      context: {} as ServerContext,
      events: {} as ServerEvent,
      input: {} as { address: Address },
    },
    guards: {
      unwatched: ({ context }) => context.subscriptions.length === 0,
      watched: ({ context }) => context.subscriptions.length > 0,
      full: ({ context }) => context.full,
      notFull: ({ context }) => !context.full,
      firing: ({ context }) => context.firing,
      calm: ({ context }) => !context.firing,
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
      rules: [],
      subscriptions: [],
      ended: [],
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    }),
    initial: 'unwatched',
    on: {
      facts: { actions: assign(({ context, event }) => deciding(() => takeFacts(context, event, settings))) },
      addRules: { actions: assign(({ context, event }) => deciding(() => decide.addRules(context, event))) },
      changeRule: {
        actions: assign(({ context, event }) => deciding(() => decide.changeRule(context, event))),
      },
      removeRule: {
        actions: assign(({ context, event }) => deciding(() => decide.removeRule(context, event))),
      },
      endRule: { actions: assign(({ context, event }) => deciding(() => decide.endRule(context, event))) },
      subscribe: {
        actions: assign(({ context, event }) => deciding(() => decide.subscribe(context, event))),
      },
      unsubscribe: {
        actions: assign(({ context, event }) => deciding(() => decide.unsubscribe(context, event))),
      },
      discard: { actions: assign(({ context, event }) => deciding(() => decide.discard(context, event))) },
      renewed: { actions: assign(({ context, event }) => deciding(() => decide.renewed(context, event))) },
      performed: {
        actions: assign(({ context, event }) => deciding(() => decide.performed(context, event))),
      },
      wake: { actions: assign(({ context, event }) => deciding(() => decide.wake(context, event))) },
    },
    states: {
      unwatched: { always: { guard: 'watched', target: 'filling' } },
      filling: {
        always: [
          { guard: 'unwatched', target: 'unwatched' },
          { guard: 'full', target: 'watching' },
        ],
      },
      watching: {
        always: [
          { guard: 'unwatched', target: 'unwatched' },
          { guard: 'notFull', target: 'filling' },
          { guard: 'firing', target: 'firing' },
        ],
      },
      firing: {
        always: [
          { guard: 'unwatched', target: 'unwatched' },
          { guard: 'notFull', target: 'filling' },
          { guard: 'calm', target: 'watching' },
        ],
      },
    },
  });
}
