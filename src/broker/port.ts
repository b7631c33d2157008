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
  subscribe(subscription: BrokerSubscription): Promise<Granted>;
  /** Extends a subscription; undefined when the broker does not know it any more. */
  renew(id: string, subscription: BrokerSubscription): Promise<Granted | undefined>;
  /** Ends a subscription; one that is unknown there is ended already. */
  unsubscribe(id: string): Promise<void>;
  close(): Promise<void>;
}

/** The broker is down, slow or failing: trying again can help. */
export class BrokerUnavailable extends Error {
  override readonly name = 'BrokerUnavailable';
}

/** The broker understood and said no: trying again the same cannot help. */
export class BrokerRefused extends Error {
  override readonly name = 'BrokerRefused';
}
