import type { OutboxEntry } from '../../actors/kind.js';
import { isPlain } from '../../delivery/form/formats.js';
import type { EmailMessage, Message, WebhookMessage } from '../../delivery/port.js';
import { overloaded, Refusal } from '../../errors.js';
import { hasMessageState, isEmail } from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { Address } from '../../store/port.js';
import { emailOf } from './alert-mail.js';
import { type Alert, alertId, type Notification, webhookOf } from './alert-messages.js';
import type { LocalTime } from './local-times.js';

/** The effect that makes a delivery of a message. */
export interface DispatchEffect extends OutboxEntry {
  readonly type: 'dispatch';
  readonly message: Message;
  readonly subscriptionId: string;
  /** ms since the epoch. */
  readonly firedAt: number;
  /**
   * Id of the message that was made before it for the same subscription and channel, if the messages of the rule have
   * a `state`.
   */
  readonly after?: string | undefined;
  /** Number of the fact that caused the message; null: none did. */
  readonly factId: number | null;
  /** State of the notification; absent for a firing. */
  readonly state?: 'resolved' | 'noData';
  /** The span of the decision as `traceparent`; absent unless the fact is traced. */
  readonly trace?: string;
  /** Set for a message beyond the limit of the outbox. It becomes a dead letter without an attempt. */
  readonly overdue?: true;
}

/** What the next e-mail of a subscription depends on. */
export interface SentMails {
  /** Time of the last e-mail of a firing, ms since the epoch; undefined: there was none. */
  readonly at?: number | undefined;
  /** Number of firings since then, none of which sent an e-mail. */
  readonly throttled: number;
  /** The thread of the last period in which the condition held; undefined: no mail was of one. */
  readonly period?: MailThread | undefined;
  /** The thread of the last lack of measurements; undefined: no mail was of one. */
  readonly noData?: MailThread | undefined;
}

/** The mails of one period. */
export interface MailThread {
  /** Start of the period as its messages have it, ms since the epoch. */
  readonly since: number | undefined;
  /** Id of the first mail. */
  readonly first: string;
}

/**
 * The ids of the newest messages of a subscription. The next message of the channel is not tried before the newest
 * one is delivered, or a dead letter.
 */
export interface NewestMessages {
  /** Absent: there was none. */
  readonly webhook?: string | undefined;
  readonly email?: string | undefined;
}

/** The messages of a server before a request. */
export interface MessagesBefore {
  /** By id of a subscription with an e-mail rule. */
  readonly mail: Readonly<Record<string, SentMails>>;
  /** The newest messages of each subscription of a rule with states, by its id; undefined: there was none yet. */
  readonly newest: Readonly<Record<string, NewestMessages>> | undefined;
  readonly outbox: readonly OutboxEntry[];
  /** Number of alerts that were not sent, by id of a subscription that is or was muted or suspended. */
  readonly unsent: Readonly<Record<string, number>> | undefined;
}

export interface MessageSettings {
  /** Maximum number of messages in the outbox of a server. Beyond that, the oldest ones become dead letters. */
  readonly outboxLimit: number;
  /** Minimum time between two e-mails of a subscription, ms. */
  readonly mailIntervalMs: number;
  /** The time in mails beside UTC; undefined: none. */
  readonly localTime: LocalTime | undefined;
  /** Returns the address of the service for people. */
  readonly publicUrl: () => string;
  /**
   * Returns the link of mails that mutes a subscription, valid for 30 days from `now`, ms since the epoch. The link
   * needs no login, so it is a secret.
   */
  readonly muteUrl: (tenantId: string, serverId: string, subscriptionId: string, now: number) => string;
}

/** Maximum number of characters of a number of a series with its comma. */
const NUMBER = 13;
/** Names and punctuation of a message and of each series as JSON. */
const FRAME = 200;

/** Maximum bytes of the messages of one request, and of all messages in the outbox of a server: its document holds no more. */
const MESSAGES_LIMIT = 12 * 1024 * 1024;

/** The result of `compose`. */
export interface Composed<E> {
  readonly change: Partial<MessagesBefore> & { readonly outbox?: readonly (E | DispatchEffect)[] };
  /** Number of firings with messages. */
  readonly fired: number;
  /** Number of notifications, from the first on, that `change` contains. */
  readonly count: number;
  /** Why `change` does not contain the others. */
  readonly refusal?: Refusal;
}

/** Returns the messages of notifications, as far as they fit, and counts those that are suppressed. */
export function compose<E extends OutboxEntry>(
  context: MessagesBefore & { readonly address: Address; readonly outbox: readonly E[] },
  notifications: readonly Notification[],
  about: {
    /** ms since the epoch. */
    readonly now: number;
    readonly tenant: Pick<TenantView, 'names'>;
    readonly room?: number | undefined;
    readonly trace?: string | undefined;
  },
  settings: MessageSettings,
): Composed<E> {
  if (notifications.length === 0) return { change: {}, fired: 0, count: 0 };
  let messages: OutgoingMessages | undefined;
  let unsent: Record<string, number> | undefined;
  let fired = 0;
  let count = 0;
  let refusal: Refusal | undefined;
  const { address } = context;
  const tenantName = about.tenant.names[0] ?? address.tenant;
  for (const one of notifications) {
    const { id } = one.subscribed.subscription;
    if (one.suppressed) {
      unsent ??= { ...context.unsent };
      unsent[id] = (unsent[id] ?? 0) + 1;
      count += 1;
      continue;
    }
    messages ??= new OutgoingMessages(context, settings, about.room, about.trace);
    refusal = messages.add({
      subscribed: one.subscribed,
      state: one.state,
      since: one.since,
      measures: one.measures,
      factId: one.factId,
      mask: one.mask,
      windows: one.windows,
      tenantId: address.tenant,
      tenantName,
      serverId: address.name,
      firedAt: about.now,
    });
    if (refusal !== undefined) break;
    if (one.state === 'firing') fired += 1;
    count += 1;
  }
  const counted = unsent === undefined ? {} : { unsent };
  const more = refusal === undefined ? { count } : { count, refusal };
  if (messages === undefined) return { change: counted, fired, ...more };
  const outbox = boundedOutbox([...context.outbox, ...messages.added], settings.outboxLimit);
  const { mail, newest } = messages;
  return { change: { ...counted, mail, newest, outbox }, fired, ...more };
}

/** The messages that the facts of one request cause, and what limits them. */
class OutgoingMessages {
  readonly added: DispatchEffect[] = [];
  /** The e-mails of subscriptions after these messages. */
  readonly mail: Record<string, SentMails>;
  /** The newest messages after these; undefined as long as there is none. */
  newest: Record<string, NewestMessages> | undefined;
  /** Bytes of the added messages, and of those in the outbox; upper bounds until they are measured. */
  #size = 0;
  #waiting: number;
  #measured = false;

  /** `room`: characters that further messages of the tenant may have. */
  constructor(
    private readonly before: MessagesBefore,
    private readonly settings: MessageSettings,
    private room = Infinity,
    private readonly trace?: string,
  ) {
    this.mail = { ...before.mail };
    this.newest = before.newest && { ...before.newest };
    this.#waiting = sumOf(before.outbox, maxBytesOf);
  }

  /**
   * Adds the webhook of an alert, and its e-mail. A firing has no e-mail if the subscription sent one within the mail
   * interval. If a limit would be exceeded, adds nothing and returns why: `Refusal('too-large')` if the messages of
   * the request alone are too many, `Refusal('unavailable')` if messages in the outbox must leave first.
   */
  add(alert: Alert): Refusal | undefined {
    const before = this.added.length;
    const refusal = this.#addBoth(alert);
    if (refusal !== undefined) this.added.length = before;
    else if (hasMessageState(alert.subscribed.rule)) this.#chain(before);
    return refusal;
  }

  #addBoth(alert: Alert): Refusal | undefined {
    const { tenantId, serverId, state, since, firedAt, factId } = alert;
    const { rule, subscription } = alert.subscribed;
    const subscriptionId = subscription.id;
    const id = alertId({ tenantId, serverId, factId, firedAt, since, subscriptionId });
    const { trace } = this;
    // An object that others are spread into takes many times as long to make.
    const effect = (entryId: string, message: Message): DispatchEffect => {
      const entry: { -readonly [M in keyof DispatchEffect]: DispatchEffect[M] } = {
        id: entryId,
        type: 'dispatch',
        subscriptionId,
        firedAt,
        factId,
        message,
      };
      if (state !== 'firing') entry.state = state;
      if (trace !== undefined) entry.trace = trace;
      return entry;
    };
    const { mailIntervalMs, muteUrl, publicUrl, localTime } = this.settings;
    // The alert of an Alertmanager has an actor that sends it.
    const isSent = subscription.format !== 'alertmanager';
    const refusal = isSent ? this.#push(effect(id, webhookOf(alert, id, publicUrl()))) : undefined;
    const { action } = rule;
    if (refusal !== undefined || !isEmail(action)) return refusal;
    const { [subscription.id]: sent = { throttled: 0 } } = this.mail;
    const isFiring = state === 'firing';
    // A mail of another state is rare, and must not be missed. It does not count firings. The clock of the node that sent the
    // last mail may be ahead: without an interval every firing still sends a mail.
    if (isFiring && sent.at !== undefined && Math.max(0, firedAt - sent.at) < mailIntervalMs) {
      this.mail[subscription.id] = { ...sent, throttled: sent.throttled + 1 };
      return undefined;
    }
    const kind = state === 'noData' ? 'noData' : 'period';
    const mailId = `${id}_mail`;
    const thread = sent[kind]?.since === since ? sent[kind] : undefined;
    const message = emailOf(alert, action, {
      throttled: isFiring ? sent.throttled : 0,
      first: thread?.first,
      publicUrl: publicUrl(),
      muteUrl: muteUrl(tenantId, serverId, subscription.id, firedAt),
      localTime,
    });
    const refused = this.#push(effect(mailId, message));
    if (refused !== undefined) return refused;
    const counted = isFiring ? { at: firedAt, throttled: 0 } : {};
    this.mail[subscription.id] = { ...sent, ...counted, [kind]: thread ?? { since, first: mailId } };
    return undefined;
  }

  /** Sets `after` of each message from `from` on: the message before it of the same subscription and channel. */
  #chain(from: number): void {
    const { added } = this;
    const newest = (this.newest ??= {});
    for (let i = from; i < added.length; i += 1) {
      const { id, subscriptionId, message } = added[i]!;
      const before = newest[subscriptionId];
      const isMail = message.channel === 'email';
      const after = isMail ? before?.email : before?.webhook;
      if (after !== undefined) added[i] = { ...added[i]!, after };
      newest[subscriptionId] = { ...before, ...(isMail ? { email: id } : { webhook: id }) };
    }
  }

  /** Returns why a message does not fit. `added` then has the message too. */
  #push(effect: DispatchEffect): Refusal | undefined {
    this.added.push(effect);
    this.#size += this.#measured ? bytesOf(effect) : maxBytesOf(effect);
    this.room -= charactersOf(effect);
    if (this.#size + this.#waiting > MESSAGES_LIMIT && !this.#measured) {
      this.#measured = true;
      this.#size = sumOf(this.added, bytesOf);
      this.#waiting = sumOf(this.before.outbox, bytesOf);
    }
    if (this.#size > MESSAGES_LIMIT) {
      return new Refusal(
        'too-large',
        'these measurements fire more messages than fit; send fewer of them together, or end some subscriptions',
      );
    }
    if (this.#size + this.#waiting > MESSAGES_LIMIT || this.room < 0) {
      return overloaded('too many messages wait to become deliveries');
    }
    return undefined;
  }
}

/**
 * Returns the outbox with at most `limit` messages to deliver. Beyond that, the oldest ones are marked as overdue.
 */
function boundedOutbox<E extends OutboxEntry>(outbox: readonly E[], limit: number): readonly E[] {
  const isCounted = (entry: OutboxEntry): boolean => isMessage(entry) && entry.overdue === undefined;
  let beyond = outbox.filter(isCounted).length - limit;
  if (beyond <= 0) return outbox;
  return outbox.map((entry) => {
    if (beyond <= 0 || !isCounted(entry)) return entry;
    beyond -= 1;
    return { ...entry, overdue: true as const };
  });
}

/** Returns the characters of the messages in the outbox of a server. */
export function charactersWaiting({ outbox }: Pick<MessagesBefore, 'outbox'>): number {
  return sumOf(outbox, charactersOf);
}

function isMessage(entry: OutboxEntry): entry is DispatchEffect {
  return entry.type === 'dispatch';
}

function sumOf(outbox: readonly OutboxEntry[], size: (effect: DispatchEffect) => number): number {
  return outbox.reduce((sum, entry) => sum + (isMessage(entry) ? size(entry) : 0), 0);
}

function bytesOf(effect: DispatchEffect): number {
  const { body } = effect.message;
  return Buffer.byteLength(body) + 3 * (charactersOf(effect) - body.length);
}

/** A UTF-16 code unit takes at most three bytes of UTF-8. */
function maxBytesOf(effect: DispatchEffect): number {
  return charactersOf(effect) * 3;
}

/** Returns the characters of a message: those of its body, and for a mail also those of its other members. */
function charactersOf({ message }: DispatchEffect): number {
  const { body } = message;
  if (message.channel === 'email') return body.length + charactersBeside(message);
  return message.channel === 'webhook' ? body.length + charactersOfForm(message) : body.length;
}

/** Returns about how many characters a stored webhook has in addition to its body; 0 for one as the document has it. */
function charactersOfForm(message: WebhookMessage): number {
  if (isPlain(message)) return 0;
  const { headers = {}, template, words } = message;
  let count = FRAME;
  for (const [name, value] of Object.entries(headers)) count += name.length + value.length;
  if (template !== undefined) count += template.contentType.length + template.body.length;
  if (words !== undefined) count += words.title.length + words.sentence.length + words.serverUrl.length;
  return count;
}

/**
 * Returns about how many characters a stored mail has in addition to its body. They are counted without writing JSON,
 * because outboxes are measured often.
 */
export function charactersBeside({
  subject,
  headline,
  reason,
  facts,
  series = [],
  muteUrl = '',
  first = '',
}: EmailMessage): number {
  let count = FRAME + subject.length + headline.length + reason.length + muteUrl.length + first.length;
  for (const [label, value] of facts) count += label.length + value.length;
  for (const { metric, values, thresholds, clears } of series) {
    count += FRAME + metric.length;
    count += NUMBER * (values.length + thresholds.length + clears.length);
  }
  return count;
}
