import type { Operation } from '../operation.js';
import { bodyThread, LARGEST_INLINE } from '../../untrusted/body-thread.js';
import { operationOf, type Order } from './operations.js';

/** Turns bodies (L1, L3, L5, notifications) into operations; large bodies in a worker thread. */
export type BodyOperations = ReturnType<typeof createBodyOperations>;

/** Entities and batches have a thread each, since batches take many times as long. A thread starts with its first body. */
export function createBodyOperations() {
  const file = new URL('./operation-worker.js', import.meta.url);
  const entities = bodyThread<Order, Operation>(file);
  const batches = bodyThread<Order, Operation>(file);
  return {
    /** As `operationOf`; also throws `Refusal('unavailable')` if too many bytes wait. */
    async of(order: Order): Promise<Operation> {
      if (order.bytes.length <= LARGEST_INLINE) return operationOf(order);
      const isSingle = order.name === 'create' || order.name === 'update';
      return (isSingle ? entities : batches).run(order);
    },
    /** Refuses bodies in progress as `unavailable`. */
    async close(): Promise<void> {
      await Promise.all([entities.close(), batches.close()]);
    },
  };
}
