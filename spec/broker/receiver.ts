import { type BrokerStandIn, type Received, standIn } from './stand-ins/stand-in.js';

/** HTTP server that receives notifications and answers each with 200. */
export interface Receiver extends Pick<BrokerStandIn, 'url' | 'close'> {
  readonly requests: readonly Received[];
}

/** Starts one. */
export function receiver(): Promise<Receiver> {
  const dialect = {
    handle: () => ({ status: 200, body: '{}' }),
    tenantOf: () => '',
    notification: () => ({ body: {}, headers: {} }),
  };
  return standIn(dialect, Date.now);
}
