import { keptListText, keptText } from '../../actors/behavior.js';
import type { ActorKind, Actors, Effect, EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import { type EndpointEvent, endpointOf } from '../../delivery/endpoint/endpoint-machine.js';
import { Refusal } from '../../errors.js';
import type { Address } from '../../store/port.js';
import type { ServerSettings } from './take-facts.js';
import { dispatchEffect } from './message-dispatch.js';
import { copyOf, type EffectOf, FORMS_VERSION } from './server-context.js';
import { placeOf, PLACE_FOLLOWS } from './server-place.js';
import { serverNotes } from './server-notes.js';
import { serverMachine, stateOf } from './server-machine.js';
import { serverAfterSetBack } from './server-set-back.js';
import { askWithTenant, type TenantCopies } from './tenant-copy.js';
import { windowsText } from '../windows/window.js';
import { charactersWaiting } from '../alerts/outgoing-messages.js';

export const SERVER = 'server';
/** Version of its machine and context. */
export const SERVER_VERSION = FORMS_VERSION;

/** Returns the address of a server's actor. */
export function serverAddress(tenant: string, name: string): Address {
  return { kind: SERVER, tenant, name };
}

/** The kind of a server's actor. */
export function serverKind(options: {
  readonly settings: ServerSettings;
  readonly deliveries: Pick<Deliveries, 'dispatch'>;
  /** The effects at the context broker, and those that change the history, the trend and the alerts of the server. */
  readonly effects: Readonly<
    Record<'intend' | 'retract' | 'unsubscribe' | 'renew' | 'record' | 'trend' | 'alert' | 'erase', Effect>
  >;
  readonly copiesOf: (actors: Actors) => TenantCopies;
  readonly now: () => number;
}): ActorKind {
  const { settings, deliveries, effects, copiesOf, now } = options;
  return {
    name: SERVER,
    version: SERVER_VERSION,
    leastVersion: 1,
    machine: serverMachine(settings),
    copy: copyOf,
    stateOf,
    rarelyWritten: ['address', 'rules', 'subscriptions', 'ended', 'trended', 'closed', 'idleSince'],
    place: { follows: PLACE_FOLLOWS, of: placeOf },
    // What was counted stays counted.
    monotonic: ['facts'],
    lazilyWritten: ['ignored'],
    writers: { windows: windowsText, states: keptListText, newest: keptText },
    deletedState: 'gone',
    afterSetBack: serverAfterSetBack,
    keepsTime: true,
    outgoing: charactersWaiting,
    notes: serverNotes,
    whenTooLarge: 'remove rules of this server, or end subscriptions, first',
    effects: {
      ...effects,
      dispatch: dispatchEffect(deliveries, now),

      async noDataTimeout(entry: EffectOf<'noDataTimeout'>, _context: unknown, run: EffectRun) {
        const { address, actors } = run;
        try {
          await askWithTenant(copiesOf(actors), address.tenant, (copy) =>
            actors.ask(address, { type: 'noDataTimeout', now: now(), ...copy }),
          );
        } catch (error) {
          // The tenant is being deleted, and the server with it.
          if (error instanceof Refusal && error.code === 'not-found') return performed(entry, now());
          throw error;
        }
        // The event removes the entry.
        return undefined;
      },

      async resume(entry: EffectOf<'resume'>, _context: unknown, { address: { tenant }, actors }: EffectRun) {
        const event: EndpointEvent = { type: 'resume', now: now(), since: entry.since };
        await actors.ask(endpointOf({ tenant, subscriptionId: entry.subscriptionId }), event);
        return performed(entry, now());
      },
    },
  };
}
