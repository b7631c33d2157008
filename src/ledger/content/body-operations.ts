import type { Operation } from '../operation.js';
import { bodyThread, LARGEST_INLINE } from '../../untrusted/body-thread.js';
import { operationOf } from './operations.js';
import type { Order } from './operations.js';

/** Makes operations of bodies (L1, L3, L5), the large ones beside the main thread. */
export interface BodyOperations {
  /** As `operationOf`; throws `Refusal('unavailable')` also where too many bytes wait. */
  of(order: Order): Promise<Operation>;
  /** What is under way is refused as `unavailable`. */
  close(): Promise<void>;
}

/** Entities and batches have a thread each, started when it is first needed: batches are many times as long. */
export function createBodyOperations(): BodyOperations {
  const file = new URL('./operation-worker.js', import.meta.url);
  const entities = bodyThread<Order, Operation>(file);
  const batches = bodyThread<Order, Operation>(file);
  return {
    async of(order) {
      if (order.bytes.length <= LARGEST_INLINE) return operationOf(order);
      const thread = order.name === 'upsert' || order.name === 'replace' ? batches : entities;
      return thread.run(order);
    },
    async close() {
      await Promise.all([entities.close(), batches.close()]);
    },
  };
}
