/** What was left out of sources, as the APIs answer it. Times are ISO 8601, UTC. */

/** One source of one tenant, as one node has seen it since its start. */
export interface SourceView {
  readonly tenantId: string;
  readonly source: 'remote-write' | 'otlp' | 'mqtt';
  /** When the first and the last request came. */
  readonly since: string;
  readonly at: string;
  readonly requests: number;
  /** Number of values that counted. */
  readonly counted: number;
  readonly leftOut: readonly LeftOutView[];
}

/** The values that were left out for one reason, and the last of them. */
export interface LeftOutView {
  readonly why:
    | 'no server'
    | 'no metric'
    | 'no time'
    | 'not a number'
    | 'out of range'
    | 'repeated'
    | 'older';
  readonly count: number;
  /** When the last of them came. */
  readonly at: string;
  /** What it named as its server and its metric. */
  readonly server: string;
  readonly metric: string;
  /** The value as text, because it may be NaN; null if the server left it out, which keeps no value. */
  readonly value: string | null;
  /** The time that came with it; null if none did, and with `value`. */
  readonly time: string | null;
}

/** GET /operator/sources and GET /v1.0/{tenantId}/sources */
export interface SourcesView {
  /** Newest first. */
  readonly sources: readonly SourceView[];
}
