import type { Receiver } from '../delivery/senders/receiver.js';

/** A span as OTLP has it. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** Returns the spans that a receiver of OTLP has got. */
export function spansAt({ got }: Receiver): readonly SentSpan[] {
  return got.flatMap(({ body }) =>
    (JSON.parse(body) as Exported).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
}

/** Returns an attribute of a span. OTLP writes a whole number as a number or as its digits. */
export function attributeOf({ attributes }: SentSpan, name: string): string | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value === undefined ? undefined : String(Object.values(value)[0]);
}
