import { type BodyOrder, bodyThread } from '../../untrusted/body-thread.js';
import type { QuietPlan, Recurrence } from './quiet-time.js';

/** An order for the thread of plans. `bytes`: a `Recurrence` as JSON. */
export interface PlanOrder extends BodyOrder {
  /** ms since the epoch. */
  readonly now: number;
  /** True: a rule that cannot be computed is refused. */
  readonly isFirst: boolean;
}

/** Plans the occurrences of quiet times. */
export type QuietPlans = ReturnType<typeof openQuietPlans>;

/**
 * Opens the planning. It runs in a thread that starts on first use: a rule may be written to take long, and nothing but other
 * plans waits for it. Tenants take turns.
 */
export function openQuietPlans(now: () => number) {
  const thread = bodyThread<PlanOrder, QuietPlan>(new URL('./plans-worker.js', import.meta.url));
  const plan = (tenantId: string, recurrence: Recurrence, isFirst: boolean): Promise<QuietPlan> => {
    const { start, duration, timezone, rrule } = recurrence;
    const bytes = Buffer.from(JSON.stringify({ start, duration, timezone, rrule }));
    return thread.run({ bytes, client: tenantId, now: now(), isFirst });
  };
  return {
    /** Returns the plan of a new quiet time. Rejects with `Refusal('bad-request')` if its rule cannot be computed. */
    first: (tenantId: string, recurrence: Recurrence) => plan(tenantId, recurrence, true),
    /** Returns the plan after one that runs out. */
    next: (tenantId: string, recurrence: Recurrence) => plan(tenantId, recurrence, false),
    close: () => thread.close(),
  };
}
