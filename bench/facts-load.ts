import autocannon from 'autocannon';

/** Result of a load. */
export interface LoadResult {
  readonly requestsPerS: number;
  /** Number of requests with an answer of 2xx. */
  readonly requests: number;
  /** ms. */
  readonly p99: number;
  readonly failed: number;
}

/** Number of servers. */
export const SERVERS = 1_000;

/** Returns the path of operation 1 for the nth server of the demo tenant. */
export function factsPath(n: number): string {
  return `/v1.0/demo/servers/server-${n}`;
}

/** Returns a body of operation 1 with `elements` elements of four attributes each. */
export function factsBody(n: number, elements: number): string {
  const percent = (salt: number): string => (((n * 37 + salt * 61) % 8000) / 100).toFixed(2);
  return JSON.stringify({
    subscriptionId: '51c0ac9ed714fb3b37d7d5a8',
    originator: 'localhost',
    contextResponses: Array.from({ length: elements }, (_, i) => ({
      contextElement: {
        type: 'host',
        isPattern: 'false',
        id: `server-${n}`,
        attributes: [
          { name: 'cpuLoadPct', type: 'string', value: percent(i + 1) },
          { name: 'usedMemPct', type: 'string', value: percent(i + 2) },
          { name: 'netLoadPct', type: 'string', value: percent(i + 3) },
          { name: 'freeSpacePct', type: 'string', value: percent(i + 4) },
        ],
      },
      statusCode: { code: '200', reasonPhrase: 'OK' },
    })),
  });
}

/**
 * Loads a target with facts of many servers. Each connection starts with another server. The time in which autocannon
 * builds the requests, several tenths of a second, does not count.
 */
export async function load(
  url: string,
  options: { seconds: number; connections: number; elements?: number; rate?: number },
): Promise<LoadResult> {
  const bodies = Array.from({ length: SERVERS }, (_, n) => ({
    method: 'POST' as const,
    path: factsPath(n),
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: factsBody(n, options.elements ?? 1),
  }));
  let connection = 0;
  let begun = 0;
  const result = await autocannon({
    url,
    connections: options.connections,
    duration: options.seconds,
    ...(options.rate === undefined ? {} : { overallRate: options.rate }),
    requests: bodies.slice(0, 1),
    setupClient(client) {
      const start = (connection++ * 389) % SERVERS;
      client.setRequests([...bodies.slice(start), ...bodies.slice(0, start)]);
      begun = Date.now();
    },
  });
  const { non2xx, errors, '2xx': requests } = result;
  return {
    requestsPerS: (requests * 1000) / (result.finish.getTime() - begun),
    requests,
    p99: result.latency.p99,
    failed: non2xx + errors,
  };
}
