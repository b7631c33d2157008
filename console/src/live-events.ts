/** The events of /console/api/events, by type. Times are ISO 8601 or ms since the epoch. */
export interface LiveEvents {
  /** A subscription changed its state. */
  readonly transition: {
    readonly tenantId: string;
    readonly serverId: string;
    readonly ruleId: string;
    readonly subscriptionId: string;
    readonly from: string;
    readonly to: string;
    readonly at: string;
    readonly sentence: string;
    readonly factId: number | null;
  };
  /** A rule fired: its message is committed. */
  readonly firing: {
    readonly tenantId: string;
    readonly serverId: string;
    readonly ruleId: string;
    readonly subscriptionId: string;
    readonly factId: number;
    readonly deliveryId: string;
    readonly at: string;
  };
  /** A delivery changed its state, or had an attempt. */
  readonly delivery: {
    readonly tenantId: string;
    readonly serverId?: string;
    readonly subscriptionId?: string;
    readonly deliveryId: string;
    readonly state: string;
    readonly attempts: number;
    readonly at: string;
  };
  /** A transaction of the ledger has its receipt. */
  readonly receipt: {
    readonly tenantId?: string;
    readonly transactionHash: string;
    readonly entityId?: string;
    readonly blockNumber: number;
    readonly at: string;
  };
  /** Something failed that an operator should see. */
  readonly fault: {
    readonly what: string;
    readonly kind?: string;
    readonly type?: string;
    readonly at: string;
  };
  /** Facts of one server, of a stream narrowed to it. They are not sent again after a reconnection. */
  readonly facts: {
    readonly tenantId: string;
    readonly serverId: string;
    readonly factId: number;
    readonly at: string;
    readonly windows: Readonly<Record<string, { readonly size: number; readonly values: readonly number[] }>>;
  };
}

/** Type of an event. */
export type LiveType = keyof LiveEvents;

/** All types: EventSource needs each by name. */
export const LIVE_TYPES: readonly LiveType[] = [
  'transition',
  'firing',
  'delivery',
  'receipt',
  'fault',
  'facts',
];
