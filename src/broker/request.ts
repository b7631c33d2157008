/** HTTP request to a broker. */
export interface BrokerRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the broker's address, with a leading slash. */
  readonly path: string;
  /** Names the tenant, and what else the broker needs to find the entities. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Texts to remove from error messages: the broker may quote them. */
  readonly secrets?: readonly string[];
  /** Deadline on the clock of `performance.now()`. Default: the time limit of every request. */
  readonly deadline?: number | undefined;
}

/** Answer of a broker: a success or a refusal. */
export interface BrokerAnswer {
  /** 200..299, or 400..499 except 408 and 429. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
