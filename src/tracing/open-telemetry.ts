import {
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind as OtelKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Attributes, RequestSpan, SpanKind, Tracing } from './port.js';
import { type Parent, parentOf, sampler, type SamplerName } from './sampling.js';
import { tracesUrl } from './traces-url.js';

export interface TracingOptions {
  /** Address of the receiver of OTLP over HTTP, without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** From 0 to 1. */
  readonly ratio: number;
  readonly serviceName: string;
  readonly version: string;
  /** Id of this node. */
  readonly node: string;
  /** Called when spans could not be sent, at most once a minute. */
  readonly onError: (error: unknown) => void;
}

/** Ended spans that wait to be sent. Further ones are dropped. */
const QUEUE = 2_048;
/** Time between two exports, and that of one, ms. */
const EVERY_MS = 2_000;
const EXPORT_MS = 5_000;
/** Time that a stop waits for the last export, ms. */
const STOP_MS = 2_000;
const ERRORS_EVERY_MS = 60_000;

const KINDS: Readonly<Record<SpanKind, OtelKind>> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  internal: OtelKind.INTERNAL,
};

/** Sends the spans of sampled requests to a receiver of OTLP. */
export function openTracing(options: TracingOptions): Tracing {
  const processor = new BatchSpanProcessor({
    exporter: reporting(
      new OTLPTraceExporter({
        url: tracesUrl(options.endpoint),
        headers: options.headers,
        timeoutMillis: EXPORT_MS,
      }),
      options.onError,
    ),
    maxQueueSize: QUEUE,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: EXPORT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
      'service.instance.id': options.node,
    }),
    // The decision is made before there is a span.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('mirzam', options.version);
  const isSampled = sampler(options.sampler, options.ratio);

  const start = (
    name: string,
    kind: SpanKind,
    parent: Parent | undefined,
    attributes?: Attributes,
  ): RequestSpan => {
    const context =
      parent === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            ...INVALID_SPAN_CONTEXT,
            traceId: parent.traceId,
            spanId: parent.spanId,
            traceFlags: TraceFlags.SAMPLED,
            isRemote: true,
          });
    return spanOf(tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, context));
  };

  return {
    request(traceparent) {
      const parent = parentOf(traceparent);
      return isSampled(parent) ? start('HTTP', 'server', parent) : undefined;
    },
    start(name, kind, traceparent, attributes) {
      const parent = parentOf(traceparent);
      return parent?.sampled === true ? start(name, kind, parent, attributes) : undefined;
    },
    async close() {
      const late = AbortSignal.timeout(STOP_MS);
      const over = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()));
      // The exporter has reported a failure of the last export.
      await Promise.race([provider.shutdown().catch(() => undefined), over]);
    },
  };
}

function spanOf(span: OtelSpan): RequestSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    rename: (name) => void span.updateName(name),
    end(attributes, failure) {
      if (attributes !== undefined) span.setAttributes({ ...attributes });
      if (failure !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', failure);
      }
      span.end();
    },
  };
}

/** Reports failed exports, one a minute. */
function reporting(exporter: SpanExporter, onError: (error: unknown) => void): SpanExporter {
  let reportedAt = -Infinity;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - reportedAt >= ERRORS_EVERY_MS) {
          reportedAt = performance.now();
          onError(result.error);
        }
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
