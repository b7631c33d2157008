import { NO_TRACING, type Tracing } from '../tracing/port.js';
import type { Message } from './batch.js';

/**
 * Starts the span of a commit below each traced event of its batch. Returns the function that ends them with the result;
 * undefined if no event is traced.
 */
export function storeSpans(
  tracing: Tracing,
  messages: readonly Message[],
): ((result: unknown) => void) | undefined {
  if (tracing === NO_TRACING) return undefined;
  if (!messages.some(isTraced)) return undefined;
  const spans = messages
    .filter(isTraced)
    .map(({ event }) =>
      tracing.start('store commit', 'internal', event!.trace, { 'mirzam.batch.events': messages.length }),
    );
  return (result) => {
    const failure = result === 'lost' ? result : result instanceof Error ? result.name : undefined;
    for (const span of spans) span?.end({}, failure);
  };
}

const isTraced = ({ event }: Message): boolean => event?.trace !== undefined;
