import type { RuleDraft } from '../../policy/rules/rule.js';
import type { Target } from './target.js';

/** Subscriptions of a rule that go to one url in one form. */
export interface WantedSubscription extends Omit<Target, 'serverId'> {
  /** Ids of servers. Of a rule of one server, that server. */
  readonly servers: readonly string[];
}

/** A rule as a file has it. */
export interface WantedRule {
  readonly draft: RuleDraft;
  /** All subscriptions of the rule; undefined: they stay as they are. */
  readonly subscriptions: readonly WantedSubscription[] | undefined;
}

/** Rules by list: under the id of their server, and under `TENANT_LIST` those of the tenant. Names are unique in a list. */
export type WantedLists = ReadonlyMap<string, readonly WantedRule[]>;

/** What the files of one tenant have. */
export interface WantedRules {
  /** undefined: the window size stays as it is. */
  readonly windowsize: number | undefined;
  readonly lists: WantedLists;
}

/** The key of the list of the tenant's rules. No server has an empty id. */
export const TENANT_LIST = '';
