import { request } from '../api-client.js';

/** Figures of a service's process. */
export interface Figures {
  /** bytes */
  readonly heapUsed: number;
  /** What is V8's and what it knows to be held for it, without files that are mapped: bytes. */
  readonly held: number;
  /** Delay of the event loop since it was last asked, ms: one in a hundred of its rounds is later. */
  readonly delayP99: number;
  /** ms */
  readonly delayMax: number;
}

/** Reads them from `/metrics`; what is told of the event loop begins anew with that. */
export async function figuresOf(url: string): Promise<Figures> {
  const { text } = await request(`${url}/metrics`, 'GET');
  const read = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    heapUsed: read('nodejs_heap_size_used_bytes'),
    held: read('nodejs_heap_size_total_bytes') + read('nodejs_external_memory_bytes'),
    delayP99: read('nodejs_eventloop_lag_p99_seconds') * 1_000,
    delayMax: read('nodejs_eventloop_lag_max_seconds') * 1_000,
  };
}
