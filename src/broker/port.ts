import { RetryableError, TerminalError } from '../errors.js';

/** What is asked of a context broker: that it sends the measurements of one server to a callback. */
export interface BrokerSubscription {
  /** The context element (ngsi10, ngsiv2) or entity (ngsi-ld) that stands for the server. */
  readonly entityId: string;
  readonly entityType: string;
  readonly attributes: readonly string[];
  /** URL of operation 1 for the server. */
  readonly callback: string;
  /** Headers that the broker shall send along, where its API can (ngsiv2 `httpCustom`, ngsi-ld `receiverInfo`). */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a broker granted. */
export interface Granted {
  /** The broker's id of the subscription. */
  readonly id: string;
  /** When it ends unless renewed, ms since the epoch; undefined: never. */
  readonly expiresAt: number | undefined;
}

/** A context broker's subscription API. Every method throws `BrokerUnavailable` or `BrokerRefused`. */
export interface Broker {
  /**
   * Asks for a subscription that bears `mark`, 24 hexadecimal digits that no other one bears, where the API has a place
   * for it. A `BrokerUnavailable` is `unsettled` where the subscription may be there, or still come to be.
   */
  subscribe(subscription: BrokerSubscription, mark?: string): Promise<Granted>;
  /**
   * Ends what was made for a subscription with a mark; the ids of what it ended, none where there is nothing or the API
   * cannot tell.
   */
  retract(mark: string, subscription: BrokerSubscription): Promise<readonly string[]>;
  /** Extends a subscription; undefined when the broker does not know it any more. */
  renew(id: string, subscription: BrokerSubscription): Promise<Granted | undefined>;
  /** Ends a subscription; one that is unknown there is ended already. */
  unsubscribe(id: string): Promise<void>;
  close(): Promise<void>;
}

/** The broker is down, slow or failing: trying again can help. */
export class BrokerUnavailable extends RetryableError {
  override readonly name = 'BrokerUnavailable';
  readonly code = 'broker-unavailable';
  /** Nothing of the request has reached the broker. */
  readonly unsent: boolean;
  /** What was asked for may have been carried out, or may still be. */
  readonly unsettled: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly unsent?: boolean; readonly unsettled?: boolean } = {},
  ) {
    super(message, options);
    this.unsent = options.unsent ?? false;
    this.unsettled = options.unsettled ?? false;
  }
}

/** The broker understood and said no: trying again the same cannot help. */
export class BrokerRefused extends TerminalError {
  override readonly name = 'BrokerRefused';
  readonly code = 'broker-refused';
}
