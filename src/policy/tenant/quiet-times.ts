import { localTimeAt } from '../quiet/local-time.js';
import type { QuietPlans } from '../quiet/plans.js';
import { quietIn, type QuietSpan, type QuietTime, type Recurrence } from '../quiet/quiet-time.js';
import type { Tenants } from './tenants.js';

/** A quiet time as its author gives it. `start` may be absent: now. */
export type QuietDraft = Omit<QuietTime, 'name' | 'by' | 'operator' | 'at' | 'plan' | 'start' | 'timezone'> &
  Partial<Pick<QuietTime, 'start' | 'timezone'>>;

/** Who makes or deletes a quiet time. */
export interface QuietAuthor {
  /** Name of the user, or `operator`. */
  readonly by: string;
  readonly operator: boolean;
}

/** Makes the quiet times of tenants (docs/policy-api.md, "Quiet times"). */
export function createQuietTimes(tenants: Tenants, plans: QuietPlans, now: () => number) {
  return {
    /**
     * Makes the quiet time of a name, in place of an earlier one. Rejects with `Refusal`: `bad-request` for a rule that cannot
     * be computed, `conflict` beyond the limit, `forbidden` for one of operators.
     */
    async set(tenantId: string, name: string, draft: QuietDraft, author: QuietAuthor): Promise<QuietTime> {
      const at = now();
      const { servers, rules, comment } = draft;
      const recurrence = recurrenceOf(draft, at);
      const plan = await plans.first(tenantId, recurrence);
      const quiet: QuietTime = { name, servers, rules, ...recurrence, comment, ...author, at, plan };
      await tenants.ask(tenantId, { type: 'setQuiet', now: at, quiet });
      return quiet;
    },
    /** Returns the occurrences that a quiet time would have. Rejects with `Refusal('bad-request')`. */
    async preview(tenantId: string, draft: QuietDraft): Promise<readonly QuietSpan[]> {
      return (await plans.first(tenantId, recurrenceOf(draft, now()))).spans;
    },
    /** Rejects with `Refusal`: `not-found` for an unknown one, `forbidden` for one of operators. */
    remove: (tenantId: string, name: string, operator: boolean) =>
      tenants.ask<void>(tenantId, { type: 'removeQuiet', now: now(), name, operator }),
    /** Rejects with `Refusal('not-found')` for an unknown one. */
    get: async (tenantId: string, name: string) => quietIn((await tenants.read(tenantId)).quiet, name),
    /** Oldest first. */
    list: async (tenantId: string) => (await tenants.read(tenantId)).quiet,
  };
}

/** Returns when a quiet time occurs; without a `start` it begins at `at`, ms since the epoch. */
function recurrenceOf({ start, duration, timezone = 'UTC', rrule }: QuietDraft, at: number): Recurrence {
  return { start: start ?? localTimeAt(at, timezone), duration, timezone, rrule };
}
