import { Refusal } from '../../errors.js';
import { serveOrders } from '../../untrusted/body-thread.js';
import { BadRecurrence, firstPlan, nextPlan } from './occurrences.js';
import type { PlanOrder } from './plans.js';
import type { Recurrence } from './quiet-time.js';

// The thread that plans the occurrences of quiet times.

serveOrders(({ bytes, now, isFirst }: PlanOrder) => {
  const recurrence = JSON.parse(bytes.toString()) as Recurrence;
  if (!isFirst) return nextPlan(recurrence, now);
  try {
    return firstPlan(recurrence, now);
  } catch (error) {
    if (error instanceof BadRecurrence) throw new Refusal('bad-request', `rrule: ${error.message}`);
    throw error;
  }
});
