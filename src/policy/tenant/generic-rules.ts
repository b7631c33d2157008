import { compiled } from '../rules/compiled.js';
import { type Rule, type RuleChange, type RuleDraft, ruleIn, withChange } from '../rules/rule.js';
import type { TenantView } from './tenant-view.js';
import type { Tenants } from './tenants.js';

/**
 * Rejects with `Refusal('conflict')` if a server with a subscription of a generic rule would need too many windows.
 * `tenant` has the rule as it would be.
 */
export type GenericRuleCheck = (tenantId: string, ruleId: string, tenant: TenantView) => Promise<void>;

/** Makes operations 4 to 8: the generic rules of a tenant. An unknown rule rejects with `Refusal('not-found')`. */
export function createGenericRules(
  tenants: Tenants,
  checkWindows: GenericRuleCheck,
  now: () => number,
  newId: () => string,
) {
  return {
    /** Operation 4. Returns the id of the new rule. */
    async add(tenantId: string, draft: RuleDraft): Promise<string> {
      const ruleId = newId();
      await tenants.ask(tenantId, { type: 'addRule', now: now(), rule: { ...draft, ruleId } });
      return ruleId;
    },
    /** Operation 5. Oldest first. */
    list: async (tenantId: string) => (await tenants.read(tenantId)).rules,
    /**
     * Operation 6. Returns the changed rule. Rejects with `Refusal('conflict')` if a server with a subscription of the rule
     * would need too many windows.
     */
    async change(tenantId: string, ruleId: string, change: RuleChange): Promise<RuleDraft> {
      if (change.condition !== undefined && compiled(change.condition).customMetrics.length > 0) {
        const tenant = await tenants.committed(tenantId);
        const { rules } = withChange(tenant.rules, ruleId, change);
        await checkWindows(tenantId, ruleId, { ...tenant, rules });
      }
      return tenants.ask(tenantId, { type: 'changeRule', now: now(), ruleId, change });
    },
    /** Operation 7. Ends the subscriptions of the rule on every server. */
    remove: (tenantId: string, ruleId: string) =>
      tenants.ask<void>(tenantId, { type: 'removeRule', now: now(), ruleId }),
    /** Operation 8. */
    get: async (tenantId: string, ruleId: string): Promise<Rule> =>
      ruleIn(ruleId, (await tenants.committed(tenantId)).rules),
  };
}
