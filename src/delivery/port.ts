import type { MessageForm } from './form/formats.js';

/** A message to a receiver outside the service. It never changes. */
export type Message = WebhookMessage | EmailMessage | MirrorMessage;

/** An HTTP POST to a subscription's url. `requestOf` makes the request of its form when it is tried. */
export interface WebhookMessage extends MessageForm {
  readonly channel: 'webhook';
  readonly url: string;
  /** The message as JSON text, as the format `mirzam` sends it. */
  readonly body: string;
  /**
   * Of the format `alertmanager`, whose body is the list of alerts: time between two messages of an alert that fires, ms. Absent
   * for any other format.
   */
  readonly resendMs?: number;
  /** The alert in words, for the format `template`. Absent for any other format. */
  readonly words?: MessageWords;
}

/** Why no request can be made of a message. Another attempt does not help. */
export interface NotMade {
  readonly refused: string;
}

/** An alert in words. */
export interface MessageWords {
  /** State, rule and server, at most 130 characters. */
  readonly title: string;
  /** The sentence of explain. */
  readonly sentence: string;
  /** The address of the server's page. */
  readonly serverUrl: string;
}

/** An NGSI-LD entity to create in the broker that mirrors receipts. */
export interface MirrorMessage {
  readonly channel: 'mirror';
  /** The broker's address for entities. */
  readonly url: string;
  /** The entity as JSON text, with its `@context`. */
  readonly body: string;
  /** The NGSILD-Tenant of the entity; undefined for the broker's default. */
  readonly tenant: string | undefined;
}

/** An e-mail in parts. The sender builds text, HTML and pictures from them. */
export interface EmailMessage {
  readonly channel: 'email';
  readonly to: string;
  /** What the mail tells. */
  readonly state: 'firing' | 'resolved' | 'noData';
  /** One line. */
  readonly subject: string;
  /** One line: what happened, with the names of the rule and the server. */
  readonly headline: string;
  /** One line: the sentence that explains the state. */
  readonly reason: string;
  /** The text of the rule's action: plain text, may have several lines. */
  readonly body: string;
  /** The windows that were compared, in the order of the mail. */
  readonly series?: readonly EmailSeries[];
  /** Measures, server, rule, time and links, in the order of the mail. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** The page that mutes the subscription, an http or https URL. It takes the one click of RFC 8058. */
  readonly muteUrl?: string;
  /** Id of the first mail of the same thread; absent: this one is the first. */
  readonly first?: string;
}

/** The label of the fact whose value is the address of the server's page. */
export const WHERE_TO_LOOK = 'Where to look';

/** A window of one metric, for a picture with its text. */
export interface EmailSeries {
  readonly metric: string;
  /** Oldest first. Each is a value of the window, or stands for several that follow each other. */
  readonly values: readonly number[];
  /** Number of values in the window. */
  readonly size: number;
  /** The numbers that the window was compared with, on the scale of its values. */
  readonly thresholds: readonly number[];
  /** The numbers at which comparisons clear. */
  readonly clears: readonly number[];
  /** True for percentages 0..100. */
  readonly percent: boolean;
}

/** The result of an attempt. `status`: the HTTP status of a webhook's receiver; undefined without an HTTP answer. */
export type Answer =
  | { readonly result: 'delivered'; readonly detail: string; readonly status?: number | undefined }
  /** A retry may succeed. `retryAfterS`: delay that the receiver requires, s. */
  | {
      readonly result: 'retry';
      readonly detail: string;
      readonly status?: number | undefined;
      readonly retryAfterS?: number | undefined;
    }
  /** A retry cannot succeed: a dead letter. */
  | { readonly result: 'refused'; readonly detail: string; readonly status?: number | undefined };

/** Sends the messages of one channel. Never throws: a failure is an answer. `detail` is for operators. */
export interface Sender<M extends Message = Message> {
  /**
   * Makes one attempt. `id`: the same for all attempts, sent as `webhook-id` and as the left part of the Message-ID.
   * `tenant`: the owner of the message. `trace`: the span of the attempt, sent as `traceparent`.
   */
  send(id: string, message: M, tenant: string, trace?: string): Promise<Answer>;
  close(): Promise<void>;
}
