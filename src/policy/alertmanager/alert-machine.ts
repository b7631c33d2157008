import { setup } from 'xstate';
import { decides, following } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import { type PerformedEvent, removePerformed } from '../../actors/outbox.js';
import type { MessageForm } from '../../delivery/form/formats.js';
import type { Address } from '../../store/port.js';

/** An alert as its Alertmanager gets it. */
export interface Alert {
  /** They identify it. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly generatorUrl: string;
  /** ms since the epoch. */
  readonly startsAt: number;
}

/** An alert that has ended. Its end is sent twice. */
export interface EndedAlert extends Alert {
  /** ms since the epoch. */
  readonly endsAt: number;
  /** When the end is sent again, ms since the epoch. */
  readonly againAt: number;
}

/** An alert in a message. It fires if it has no `endsAt`. */
export type SentAlert = Alert & { readonly endsAt?: number };

/** The Alertmanager of a subscription. */
export type AlertTarget = { readonly url: string } & Pick<MessageForm, 'headers'>;

/** The delivery that brings the messages of one period. */
export interface PeriodDelivery {
  readonly id: string;
  /** Number of the fact that began the period. */
  readonly factId: number;
}

/** What the documents of the server and its tenant say about the alert of a subscription. */
export interface Sight {
  /** The alert that fires, with its delivery; undefined: none does. */
  readonly firing: FiringAlert | undefined;
  /** True if nothing is sent: the subscription is muted or suspended. */
  readonly suppressed: boolean;
  /** True if another subscription keeps the same Alertmanager informed of the same alert. */
  readonly isShared: boolean;
  /** The annotations of the alert if it has ended; undefined if its rule or subscription is gone. */
  readonly annotations: Alert['annotations'] | undefined;
}

export interface FiringAlert {
  readonly alert: Alert;
  readonly target: AlertTarget;
  readonly delivery: PeriodDelivery;
}

/** What an Alertmanager knows of one subscription. */
export interface AlertContext extends ActorContext {
  /** The server of the subscription; undefined before its first alert. */
  readonly server: string | undefined;
  /** Time of the newest change at the server, ms since the epoch. */
  readonly changedAt: number;
  readonly target: AlertTarget | undefined;
  readonly delivery: PeriodDelivery | undefined;
  /** The alert that fires there; undefined: none does. */
  readonly firing: Alert | undefined;
  /** Oldest first. */
  readonly ended: readonly EndedAlert[];
  readonly outbox: readonly AlertEffect[];
}

export type AlertEffect = LookEffect | DeliverEffect;

/** Reads from the server what the alert is now. */
export interface LookEffect extends OutboxEntry {
  readonly type: 'look';
  /** True: the alert is sent even if it is unchanged. */
  readonly due: boolean;
}

/** Hands a message to its delivery, where it replaces the one before. */
export interface DeliverEffect extends OutboxEntry {
  readonly type: 'deliver';
  readonly alerts: readonly SentAlert[];
  /** The delivery of the period before, whose message is out of date. */
  readonly replaces: string | undefined;
  /** True if something has begun or ended: a failing Alertmanager is tried at once. */
  readonly urgent: boolean;
}

/** The alert of a subscription begins or ends, or may look different. */
export interface ChangedEvent extends ActorEvent {
  readonly type: 'changed';
  readonly server: string;
  /** ms since the epoch. */
  readonly at: number;
}

export type AlertEvent =
  | ChangedEvent
  | (ActorEvent &
      (
        | { readonly type: 'seen'; readonly sight: Sight }
        /** The subscription is deleted with its tenant. */
        | { readonly type: 'erase' }
        | { readonly type: 'wake' }
      ))
  | PerformedEvent;

type EventOf<T extends AlertEvent['type']> = Extract<AlertEvent, { readonly type: T }>;
type Change = Partial<AlertContext>;

/** Kind of the actors that keep an Alertmanager informed of one subscription each. */
export const ALERT = 'alert';

/** The alert of a subscription. */
export function alertAddress(tenant: string, subscriptionId: string): Address {
  return { kind: ALERT, tenant, name: subscriptionId };
}

/** Time between the two messages of an end, ms. */
const AGAIN_MS = 60_000;
/** Maximum number of ended alerts of a subscription: each has labels that the rule had before. */
const ENDED_LIMIT = 16;

/** Returns the state of the actor of an alert. */
export function stateOf({ server, firing, ended, outbox, wakeAt }: AlertContext) {
  if (firing !== undefined) return 'firing';
  if (ended.length > 0) return 'ended';
  return server === undefined || outbox.length > 0 || wakeAt !== undefined ? 'new' : 'gone';
}

/**
 * The machine of an alert: `new` before its Alertmanager knows it, `firing`, then `ended` until its end was sent twice, then `gone`.
 * `wakeAt` is set while the subscription fires. `resendMs`: time between two messages.
 */
export function alertMachine(resendMs: number) {
  return setup({
    types: {
      context: {} as AlertContext,
      events: {} as AlertEvent,
      input: {} as { readonly address: Address },
    },
  }).createMachine({
    id: 'alert',
    context: {
      server: undefined,
      changedAt: 0,
      target: undefined,
      delivery: undefined,
      firing: undefined,
      ended: [],
      outbox: [],
      wakeAt: undefined,
      reply: undefined,
    },
    initial: 'new',
    on: {
      changed: { actions: decides(change) },
      wake: { actions: decides(wake) },
      seen: {
        actions: decides((context: AlertContext, event: EventOf<'seen'>) => see(context, event, resendMs)),
      },
      erase: { guard: ({ context }) => context.server !== undefined, target: '.gone' },
      performed: { actions: decides(removePerformed) },
    },
    states: { ...following(stateOf, ['new', 'firing', 'ended'], ['gone']), gone: {} },
  });
}

function change(context: AlertContext, { server, at }: ChangedEvent): Change {
  return { server, changedAt: at, ...looking(context, false) };
}

function wake(context: AlertContext, { now }: EventOf<'wake'>): Change {
  if (context.wakeAt === undefined || context.wakeAt > now) return {};
  return { ...looking(context, true), wakeAt: now + AGAIN_MS };
}

/** A look that is under way may have read the state before the change: another one replaces it. */
function looking({ outbox }: AlertContext, due: boolean): Change {
  const waiting = outbox.find((entry) => entry.type === 'look');
  const entry: LookEffect = { id: 'look', type: 'look', due: due || waiting?.due === true };
  return { outbox: [...outbox.filter((one) => one !== waiting), entry] };
}

function see(context: AlertContext, { now, sight }: EventOf<'seen'>, resendMs: number): Change {
  const look = context.outbox.find((entry) => entry.type === 'look');
  const outbox = context.outbox.filter((entry) => entry !== look);
  const { firing, suppressed } = sight;
  if (suppressed) {
    // Nothing is sent: the alert ends at the Alertmanager when its `endsAt` has passed.
    const known = firing === undefined ? undefined : context.firing;
    return { outbox, firing: known, ended: [], wakeAt: firing && nextTime(firing, now, resendMs) };
  }
  if (firing === undefined) return end({ ...context, outbox }, sight, now);
  return fire({ ...context, outbox }, firing, { now, resendMs, isDue: look?.due !== false });
}

function fire(
  context: AlertContext,
  firing: FiringAlert,
  { now, resendMs, isDue }: { readonly now: number; readonly resendMs: number; readonly isDue: boolean },
): Change {
  const { alert, target, delivery } = firing;
  const before = context.firing;
  const isSame = before !== undefined && isSameAlert(before, alert);
  const isAsBefore = isSame && before.startsAt === alert.startsAt;
  if (isAsBefore && !isDue && context.wakeAt !== undefined) return { outbox: context.outbox };
  const ended = context.ended.filter((one) => !isSameAlert(one, alert));
  if (before !== undefined && !isSame) ended.push(endedAlert(before, context.changedAt, now));
  const change = {
    target,
    delivery,
    firing: alert,
    ended: sentAgain(ended, now),
    wakeAt: nextTime(firing, now, resendMs),
  };
  return { ...change, outbox: delivering(context, delivery, [alert, ...ended], !isAsBefore) };
}

function end(context: AlertContext, { annotations, isShared }: Sight, now: number): Change {
  const { firing, delivery } = context;
  if (isShared) return { firing: undefined, ended: [], wakeAt: undefined, outbox: context.outbox };
  const ended = [...context.ended];
  if (firing !== undefined)
    ended.push(
      endedAlert({ ...firing, annotations: annotations ?? firing.annotations }, context.changedAt, now),
    );
  const left = sentAgain(ended, now);
  const change = { firing: undefined, ended: left, wakeAt: left[0]?.againAt };
  const isTold = firing === undefined && left.length === ended.length;
  if (isTold || delivery === undefined) return { ...change, outbox: context.outbox };
  return { ...change, outbox: delivering(context, delivery, ended, firing !== undefined) };
}

/** Its end is the time of the change at the server; now if the timer found it. */
function endedAlert(alert: Alert, changedAt: number, now: number): EndedAlert {
  const endsAt = Math.max(alert.startsAt, Math.min(changedAt, now));
  return { ...alert, endsAt, againAt: now + AGAIN_MS };
}

/** Returns the ended alerts that are sent once more. */
function sentAgain(ended: readonly EndedAlert[], now: number): readonly EndedAlert[] {
  return ended.filter(({ againAt }) => !isOver(againAt, now)).slice(-ENDED_LIMIT);
}

/** True for a time that has come, and for one that was planned before the clock was set back. */
function isOver(againAt: number, now: number): boolean {
  return againAt <= now || againAt > now + AGAIN_MS;
}

/** True if an Alertmanager takes two alerts for the same one. */
export function isSameAlert(
  { labels }: Pick<Alert, 'labels'>,
  { labels: other }: Pick<Alert, 'labels'>,
): boolean {
  const names = Object.keys(labels);
  return names.length === Object.keys(other).length && names.every((name) => labels[name] === other[name]);
}

function delivering(
  { outbox, delivery: before }: AlertContext,
  delivery: PeriodDelivery,
  alerts: readonly SentAlert[],
  urgent: boolean,
): readonly AlertEffect[] {
  const waiting = outbox.find((entry) => entry.type === 'deliver');
  const replaces = before === undefined || before.id === delivery.id ? waiting?.replaces : before.id;
  const entry: DeliverEffect = {
    id: 'deliver',
    type: 'deliver',
    alerts,
    replaces: replaces === delivery.id ? undefined : replaces,
    urgent: urgent || waiting?.urgent === true,
  };
  return [...outbox.filter((one) => one !== waiting), entry];
}

/** Each alert has a place of its own in the interval, so that many that begin together are not sent together for ever. */
function nextTime({ delivery }: FiringAlert, now: number, resendMs: number): number {
  const place = Math.floor((Number.parseInt(delivery.id.slice(-8), 16) / 2 ** 32) * resendMs);
  return now + resendMs - ((((now - place) % resendMs) + resendMs) % resendMs);
}
