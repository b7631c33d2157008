import type { QuietPlans } from '../quiet/plans.js';
import { quietIn, type QuietSpan, type QuietTime } from '../quiet/quiet-time.js';
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
     * Makes the quiet time of a name, in place of an earlier one. Rejects with `Refusal`: `bad-request` for a rule that cannot be computed, `conflict` beyond
     * the limit, `forbidden` for one of operators.
     */
    async set(tenantId: string, name: string, draft: QuietDraft, author: QuietAuthor): Promise<QuietTime> {
      const at = now();
      const { servers, rules, duration, timezone = 'UTC', rrule, comment } = draft;
      const start = draft.start ?? localTime(at, timezone);
      const recurrence = { start, duration, timezone, rrule };
      const plan = await plans.first(tenantId, recurrence);
      const quiet: QuietTime = { name, servers, rules, ...recurrence, comment, ...author, at, plan };
      await tenants.ask(tenantId, { type: 'setQuiet', now: at, quiet });
      return quiet;
    },
    /** Returns the occurrences that a quiet time would have. Rejects with `Refusal('bad-request')`. */
    async preview(tenantId: string, draft: QuietDraft): Promise<readonly QuietSpan[]> {
      const { duration, timezone = 'UTC', rrule } = draft;
      const start = draft.start ?? localTime(now(), timezone);
      return (await plans.first(tenantId, { start, duration, timezone, rrule })).spans;
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

/** Returns the local time of a zone at an instant, ms since the epoch, to the second: `2026-12-01T22:00:00`. */
function localTime(at: number, timezone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return format.format(at).replace(' ', 'T');
}
