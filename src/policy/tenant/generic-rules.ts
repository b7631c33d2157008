import { compiled } from '../rules/compiled.js';
import {
  findRule,
  type Rule,
  type RuleChange,
  type RuleDraft,
  unknownRule,
  withChange,
} from '../rules/rule.js';
import type { TenantView } from './tenant-view.js';
import type { Tenants } from './tenants.js';

/** Operations 4 to 8: the generic rules of a tenant. An unknown rule rejects with `Refusal('not-found')`. */
export interface GenericRules {
  /** Operation 4. Returns the id of the new rule. */
  add(tenantId: string, draft: RuleDraft): Promise<string>;
  /** Operation 5. Oldest first. */
  list(tenantId: string): Promise<readonly Rule[]>;
  /**
   * Operation 6. Returns the changed rule. Rejects with `Refusal('conflict')` if a server with a subscription of the rule
   * would need too many windows.
   */
  change(tenantId: string, ruleId: string, change: RuleChange): Promise<RuleDraft>;
  /** Operation 7. Ends the subscriptions of the rule on every server. */
  remove(tenantId: string, ruleId: string): Promise<void>;
  /** Operation 8. */
  get(tenantId: string, ruleId: string): Promise<Rule>;
}

/**
 * Rejects with `Refusal('conflict')` if a server with a subscription of a generic rule would need too many windows.
 * `tenant` has the rule as it would be.
 */
export type GenericRuleCheck = (tenantId: string, ruleId: string, tenant: TenantView) => Promise<void>;

/** Makes the operations on the generic rules of tenants. */
export function createGenericRules(options: {
  readonly tenants: Tenants;
  readonly checkWindows: GenericRuleCheck;
  readonly now: () => number;
  readonly newId: () => string;
}): GenericRules {
  const { tenants, checkWindows, now, newId } = options;
  return {
    async add(tenantId, draft) {
      const ruleId = newId();
      await tenants.ask(tenantId, { type: 'addRule', now: now(), rule: { ...draft, ruleId } });
      return ruleId;
    },
    list: async (tenantId) => (await tenants.read(tenantId)).rules,
    async change(tenantId, ruleId, change) {
      if (change.condition !== undefined && compiled(change.condition).customMetrics.length > 0) {
        const tenant = await tenants.read(tenantId);
        const { rules } = withChange(tenant.rules, ruleId, change);
        await checkWindows(tenantId, ruleId, { ...tenant, rules });
      }
      return tenants.ask(tenantId, { type: 'changeRule', now: now(), ruleId, change });
    },
    remove: (tenantId, ruleId) => tenants.ask(tenantId, { type: 'removeRule', now: now(), ruleId }),
    async get(tenantId, ruleId) {
      const rule = findRule(ruleId, (await tenants.read(tenantId)).rules);
      if (rule === undefined) throw unknownRule(ruleId);
      return rule;
    },
  };
}
