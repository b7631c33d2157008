/** A sampled span. */
export interface Span {
  /** Names the span as a parent, in the form of the header `traceparent` (W3C Trace Context). */
  readonly traceparent: string;
  /** Ends it. `failure`: what went wrong, without secrets; undefined: nothing did. */
  end(attributes?: Attributes, failure?: string): void;
}

/** Attributes of a span, without secrets. Those that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** What a span is of: a request that came, a request that is sent, or work in the process. */
export type SpanKind = 'server' | 'client' | 'internal';

/** Makes the spans of traces. What is not sampled has none, and makes no object. */
export interface Tracing {
  /** Starts the span of a request that came. `parent`: its header `traceparent`. undefined: it is not sampled. */
  request(parent: string | undefined): RequestSpan | undefined;
  /** Starts a span below another. undefined without a parent. */
  start(name: string, kind: SpanKind, parent: string | undefined, attributes?: Attributes): Span | undefined;
  /** Sends the spans that ended, for a limited time. */
  close(): Promise<void>;
}

/** The span of a request, whose route is known at its end. */
export interface RequestSpan extends Span {
  rename(name: string): void;
}

/** Tracing that is off. */
export const NO_TRACING: Tracing = {
  request: () => undefined,
  start: () => undefined,
  close: async () => {},
};

/** Does work in a span, which ends with it. Without a span it only does the work, and nothing comes between. */
export function traced<T>(span: Span | undefined, work: () => Promise<T>): Promise<T> {
  return span === undefined ? work() : within(span, work);
}

async function within<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end({}, error instanceof Error ? error.name : 'Error');
    throw error;
  }
}
