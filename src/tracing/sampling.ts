/** The parent of a span, as a header `traceparent` names it. */
export interface Parent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/;

/** Returns the parent in a `traceparent` (W3C Trace Context); undefined if there is none, or it is not valid. */
export function parentOf(traceparent: string | undefined): Parent | undefined {
  if (traceparent === undefined) return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined) return undefined;
  return { traceId, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

/** The samplers that OTEL_TRACES_SAMPLER may name. */
export type SamplerName = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`;

/** The last 13 digits of a trace id are below it, and exact. */
const IDS = 2 ** 52;

/**
 * Makes the function that decides whether a request is sampled. A trace that begins here is sampled by chance, and
 * `traceidratio` samples one that began elsewhere by its id.
 */
export function sampler(name: SamplerName, ratio: number): (parent: Parent | undefined) => boolean {
  const isParentBased = name.startsWith('parentbased_');
  const share = name.endsWith('always_on') ? 1 : name.endsWith('always_off') ? 0 : ratio;
  return (parent) => {
    if (parent === undefined) return Math.random() < share;
    return isParentBased ? parent.sampled : Number.parseInt(parent.traceId.slice(-13), 16) / IDS < share;
  };
}
