/** The answer to a backtest, of the API and of the command. */
export interface BacktestAnswer {
  /** Number of facts that evaluated the condition. */
  readonly evaluations: number;
  readonly messages: readonly BacktestMessage[];
  /** Number of the messages with the state `firing`. */
  readonly firings: number;
  /** Sum of the periods, s. */
  readonly held: number;
}

/** A message that a live server would have sent. */
export interface BacktestMessage {
  /** The place of the fact; null for `noData`. */
  readonly index: number | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly state: 'firing' | 'resolved' | 'noData';
  /** What was compared, by metric; empty for `noData`. */
  readonly measures: Readonly<Partial<Record<string, number>>>;
}
