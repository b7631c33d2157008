import type { ActorKind, Effect, EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import type { EndpointEvent } from '../../delivery/endpoint/endpoint-machine.js';
import { endpointOf } from '../../delivery/endpoint/endpoint-machine.js';
import { watchesText } from '../watch/watch.js';
import type { ServerSettings } from './evaluate.js';
import { messageDispatch } from './message-dispatch.js';
import { charactersWaiting } from './outgoing-messages.js';
import type { ResumeEffect, ServerContext } from './server-context.js';
import { serverMachine } from './server-machine.js';
import { windowsText } from './window.js';

export const SERVER = 'server';

export interface ServerKindOptions {
  readonly settings: ServerSettings;
  readonly deliveries: Deliveries;
  /** The effects at the context broker. */
  readonly broker: Readonly<Record<'intend' | 'retract' | 'unsubscribe' | 'renew', Effect>>;
  /** Appends transitions to the history of the server. */
  readonly record: Effect;
  readonly now: () => number;
}

/** The kind of a server's actor. */
export function serverKind({ settings, deliveries, broker, record, now }: ServerKindOptions): ActorKind {
  return {
    name: SERVER,
    version: 1,
    machine: serverMachine(settings),
    rarelyWritten: ['address', 'rules', 'subscriptions', 'ended'],
    writers: { windows: windowsText, watches: watchesText },
    deletedState: 'gone',
    outgoing: charactersWaiting,
    room: 'remove rules of this server, or end subscriptions, first',
    effects: {
      ...broker,
      record,
      deliver: messageDispatch(deliveries, now),

      async resume(entry: ResumeEffect, _context: ServerContext, { address: { tenant }, actors }: EffectRun) {
        const event: EndpointEvent = { type: 'resume', now: now(), since: entry.since };
        await actors.ask(endpointOf({ tenant, subscriptionId: entry.subscriptionId }), event);
        return performed(entry, now());
      },
    },
  };
}
