/** A message to a receiver outside the service. It never changes: every attempt sends the same bytes. */
export type Message = WebhookMessage | EmailMessage | MirrorMessage;

/** An HTTP POST to a subscription's url. */
export interface WebhookMessage {
  readonly channel: 'webhook';
  readonly url: string;
  /** The JSON text to send. */
  readonly body: string;
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

/** An e-mail in parts. The sender builds text and HTML from them. */
export interface EmailMessage {
  readonly channel: 'email';
  readonly to: string;
  /** One line. */
  readonly subject: string;
  /** The text of the rule's action: plain text, may have several lines. */
  readonly body: string;
  /** Measures, server, rule, time and links, in the order of the mail. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}

/** The result of an attempt. */
export type Answer =
  | { readonly result: 'delivered'; readonly detail: string }
  /** A repeat can help. `retryAfterS`: delay that the receiver asked for, s. */
  | { readonly result: 'retry'; readonly detail: string; readonly retryAfterS?: number | undefined }
  /** A repeat cannot help: a dead letter. `status`: the HTTP status of a webhook's receiver. */
  | { readonly result: 'refused'; readonly detail: string; readonly status?: number | undefined };

/** Sends the messages of one channel. Never throws: a failure is an answer. `detail` is for operators. */
export interface Sender<M extends Message = Message> {
  /**
   * Makes one attempt. `id`: the same for all attempts, sent as `webhook-id` and as the left part of the Message-ID.
   * `tenant`: the owner of the message.
   */
  send(id: string, message: M, tenant: string): Promise<Answer>;
  close(): Promise<void>;
}
