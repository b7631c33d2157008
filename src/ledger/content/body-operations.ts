import type { Operation } from '../operation.js';
import { operationThread } from './operation-thread.js';
import { operationOf } from './operations.js';
import type { Order } from './operations.js';

/** Makes operations of bodies (L1, L3, L5), the large ones beside the main thread. */
export interface BodyOperations {
  /** As `operationOf`; throws `Refusal('unavailable')` also where too many bytes wait. */
  of(order: Order): Promise<Operation>;
  /** What is under way is refused as `unavailable`. */
  close(): Promise<void>;
}

/** Bodies over this many bytes, which may hold thousands of members, would hold the event loop for long. */
const ON_THE_SPOT = 16_384;

/** Entities and batches have a thread each, started when it is first needed: batches are many times as long. */
export function createBodyOperations(): BodyOperations {
  const entities = operationThread();
  const batches = operationThread();
  return {
    async of(order) {
      if (order.bytes.length <= ON_THE_SPOT) return operationOf(order);
      const thread = order.name === 'upsert' || order.name === 'replace' ? batches : entities;
      return thread.run(order);
    },
    async close() {
      await Promise.all([entities.close(), batches.close()]);
    },
  };
}
