/** What an adapter is opened with. */
export interface AdapterOptions {
  /** BROKER_URL: the address below which the API's paths are, such as `http://orion:1026`. */
  readonly url: string;
  /** How long the broker may take for one request, ms. */
  readonly timeoutMs: number;
  /** How long a subscription shall last unless renewed, s. */
  readonly durationS: number;
  /** Ms since the epoch. */
  readonly now: () => number;
}
