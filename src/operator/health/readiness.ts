import { setTimeout } from 'node:timers/promises';

/** Time after a check of readiness in which a load balancer is taken to send requests to this node, ms. */
const CHECKED_MS = 30_000;
/** Time for a load balancer to notice that the node is not ready, ms: several checks of one that checks each second. */
const DRAIN_MS = 4_000;

/** Whether new requests should be sent to this node. */
export type Readiness = 'starting' | 'ready' | 'stopping';

/** The readiness of a node, and when somebody last asked for it. */
export type ReadinessState = ReturnType<typeof createReadiness>;

/** Creates the readiness of a node that starts. */
export function createReadiness() {
  let state: Readiness = 'starting';
  let checkedAt = -Infinity;
  return {
    get: (): Readiness => state,
    started(): void {
      state = 'ready';
    },
    /** Counts a check by a load balancer. */
    checked(): void {
      checkedAt = performance.now();
    },
    /**
     * Makes the node unready. Resolves when load balancers have noticed: at once if none has checked the node of late.
     */
    async stopping(): Promise<void> {
      state = 'stopping';
      if (performance.now() - checkedAt < CHECKED_MS) await setTimeout(DRAIN_MS);
    },
  };
}
