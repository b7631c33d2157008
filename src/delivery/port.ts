/** Something that has to reach somebody outside. Frozen when it is made: every attempt sends the same bytes. */
export type Message = WebhookMessage | EmailMessage | MirrorMessage;

/** An HTTP POST to a subscription's url. */
export interface WebhookMessage {
  readonly channel: 'webhook';
  readonly url: string;
  /** The JSON text to send. */
  readonly body: string;
}

/** An NGSI-LD entity to be created in the broker that mirrors receipts. */
export interface MirrorMessage {
  readonly channel: 'mirror';
  /** The broker's address for entities. */
  readonly url: string;
  /** The entity as JSON text, its `@context` in it. */
  readonly body: string;
  /** The NGSILD-Tenant to create it under; the broker's default where there is none. */
  readonly tenant: string | undefined;
}

/** An e-mail, in parts from which the sender builds text and HTML. */
export interface EmailMessage {
  readonly channel: 'email';
  readonly to: string;
  /** One line. */
  readonly subject: string;
  /** What the rule's author wrote; plain text, may have several lines. */
  readonly body: string;
  /** Label and value, in the order to show: measures, server, rule, when, where to look. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}

/** What came of one attempt. */
export type Answer =
  | { readonly result: 'delivered'; readonly detail: string }
  /** Trying again can help; not before `retryAfterS` seconds where the receiver said so. */
  | { readonly result: 'retry'; readonly detail: string; readonly retryAfterS?: number | undefined }
  /** Trying again the same cannot help: a dead letter. `status` where a webhook's receiver itself answered so. */
  | { readonly result: 'refused'; readonly detail: string; readonly status?: number | undefined };

/** Sends messages of one channel. Never throws: what goes wrong is an answer. `detail` is for operators. */
export interface Sender<M extends Message = Message> {
  /**
   * `id` is stable over the attempts: `webhook-id`, and the left part of the Message-ID; an entity has its own. `tenant`
   * is whose message it is.
   */
  send(id: string, message: M, tenant: string): Promise<Answer>;
  close(): Promise<void>;
}
