import { RetryableError, TerminalError } from '../errors.js';

/** Subscription at a context broker: the broker sends the measurements of one server to a callback. */
export interface BrokerSubscription {
  /** Id of the server's context element (ngsi10, ngsiv2) or entity (ngsi-ld). */
  readonly entityId: string;
  readonly entityType: string;
  readonly attributes: readonly string[];
  /** Tenant at the broker; undefined: the broker's default tenant. */
  readonly tenant: string | undefined;
  /** URL of operation 1 for the server. */
  readonly callback: string;
  /** Headers of notifications, if the API supports them (ngsiv2 `httpCustom`, ngsi-ld `receiverInfo`). */
  readonly headers: Readonly<Record<string, string>>;
}

/** A subscription that a broker granted. */
export interface Granted {
  /** The broker's id of the subscription. */
  readonly id: string;
  /** End of the subscription unless renewed, ms since the epoch. undefined: never. */
  readonly expiresAt: number | undefined;
}

/** Options of an adapter. */
export interface AdapterOptions {
  /** BROKER_URL: the address below which the API's paths are, such as `http://orion:1026`. */
  readonly url: string;
  /** Time limit of one request, ms. */
  readonly timeoutMs: number;
  /** Requested duration of a subscription unless renewed, s. */
  readonly durationS: number;
  /** Service path of the entities (ngsi10, ngsiv2). */
  readonly servicePath: string;
  /** URL of the JSON-LD context of the names (ngsi-ld); undefined: the broker's core context. */
  readonly context: string | undefined;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** A context broker's subscription API. Every method throws `BrokerUnavailable` or `BrokerRefused`. */
export interface Broker {
  /**
   * Creates a subscription. `mark`, 24 unique hexadecimal digits, identifies it if the API has a place for it. A
   * `BrokerUnavailable` is `unsettled` if the subscription may exist or still be created.
   */
  subscribe(subscription: BrokerSubscription, mark?: string): Promise<Granted>;
  /**
   * Ends the subscriptions with a mark. Returns their ids: none if the broker has none, or the API has no marks.
   */
  retract(mark: string, subscription: BrokerSubscription): Promise<readonly string[]>;
  /** Extends a subscription, and gives it the present content. undefined if the broker does not know it. */
  renew(id: string, subscription: BrokerSubscription): Promise<Granted | undefined>;
  /** Ends a subscription of a tenant at the broker. An unknown one counts as ended. */
  unsubscribe(id: string, tenant: string | undefined): Promise<void>;
  close(): Promise<void>;
}

/** The broker is unreachable, slow or failing. A retry can succeed. */
export class BrokerUnavailable extends RetryableError {
  override readonly name = 'BrokerUnavailable';
  readonly code = 'broker-unavailable';
  /** True if no part of the request reached the broker. */
  readonly unsent: boolean;
  /** True if the broker may have carried out the request, or may still do so. */
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

/** The broker refused the request. A retry cannot succeed. */
export class BrokerRefused extends TerminalError {
  override readonly name = 'BrokerRefused';
  readonly code = 'broker-refused';
}
