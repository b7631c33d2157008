import { findRule, unknownRule } from '../lookup.js';
import type { Rule, RuleChange, RuleDraft } from './rule.js';
import type { Tenants } from '../tenant/tenants.js';

/** Operations 4 to 8: the rules of a tenant. */
export interface GenericRules {
  /** Operation 4; the new rule's id. */
  add(tenantId: string, draft: RuleDraft): Promise<string>;
  /** Operation 5, oldest first. */
  list(tenantId: string): Promise<readonly Rule[]>;
  /** Operation 6; the rule as it is now. */
  change(tenantId: string, ruleId: string, change: RuleChange): Promise<RuleDraft>;
  /** Operation 7; ends its subscriptions on every server. */
  remove(tenantId: string, ruleId: string): Promise<void>;
  /** Operation 8. */
  get(tenantId: string, ruleId: string): Promise<Rule>;
}

/** Makes the operations on a tenant's rules. All refuse a rule that is not there with `not-found`. */
export function createGenericRules(options: {
  readonly tenants: Tenants;
  readonly now: () => number;
  readonly newId: () => string;
}): GenericRules {
  const { tenants, now, newId } = options;
  return {
    async add(tenantId, draft) {
      const ruleId = newId();
      await tenants.ask(tenantId, { type: 'addRule', now: now(), rule: { ...draft, ruleId } });
      return ruleId;
    },
    list: async (tenantId) => (await tenants.read(tenantId)).rules,
    change: (tenantId, ruleId, change) =>
      tenants.ask(tenantId, { type: 'changeRule', now: now(), ruleId, change }),
    remove: (tenantId, ruleId) => tenants.ask(tenantId, { type: 'removeRule', now: now(), ruleId }),
    async get(tenantId, ruleId) {
      const rule = findRule(ruleId, (await tenants.read(tenantId)).rules);
      if (rule === undefined) throw unknownRule(ruleId);
      return rule;
    },
  };
}
