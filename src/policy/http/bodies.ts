import { type BodyOrder, bodyThread, ON_THE_SPOT } from '../../http/body/body-thread.js';
import { parseJson } from '../../http/body/json-text.js';
import { readFacts } from '../facts/facts.js';
import type { Facts, HddReading } from '../facts/facts.js';
import { ruleDrafts } from '../rules/rule-drafts.js';
import type { RuleChange, RuleDraft } from '../rules/rule.js';
import { ruleChange, ruleDraft, subscriptionDraft, windowSizeDraft } from './schemas.js';
import { validate } from './validate.js';

/** What the bodies of operations are, by names of their own. */
export interface Shapes {
  /** Operation 1. */
  readonly facts: Facts;
  /** Operation 3. */
  readonly windowSize: { readonly windowsize: number };
  /** Operation 4. */
  readonly rule: RuleDraft;
  /** Operations 6 and 12. */
  readonly ruleChange: RuleChange;
  /** Operation 11: a rule, or a list of rules. */
  readonly rules: { readonly several: boolean; readonly drafts: readonly RuleDraft[] };
  /** Operation 15; whether the url may be called is judged elsewhere. */
  readonly subscription: { readonly ruleId: string; readonly url: string };
}

/** What is allowed in bodies, as the settings have it. */
export interface ShapeSettings {
  readonly hdd: HddReading;
  /** Largest window size that a tenant may choose. */
  readonly windowMax: number;
}

/** Reads the bodies of the policy API, large ones beside the main thread. */
export interface PolicyBodies {
  /**
   * Reads and checks an inflated body, which came from the address `client`. A short body is read at once, a large one
   * in a thread. Throws, or rejects with, `Refusal`: `unreadable`, `bad-request` that names every problem,
   * `unavailable` where too many bytes wait.
   */
  read<S extends keyof Shapes>(shape: S, bytes: Buffer, client?: string): Shapes[S] | Promise<Shapes[S]>;
  /** What is under way is refused as `unavailable`. */
  close(): Promise<void>;
}

/** An order for the thread. */
export interface PolicyOrder extends BodyOrder {
  readonly shape: keyof Shapes;
}

type Readers = { readonly [S in keyof Shapes]: (body: unknown) => Shapes[S] | Promise<Shapes[S]> };

/** Makes what turns parsed bodies into what they stand for. */
export function policyReaders({ hdd, windowMax }: ShapeSettings): Readers {
  const windowSize = windowSizeDraft(windowMax);
  return {
    facts: (body) => readFacts(body, hdd),
    windowSize: (body) => validate<Shapes['windowSize']>(windowSize, body),
    rule: (body) => validate<RuleDraft>(ruleDraft, body),
    ruleChange: (body) => validate<RuleChange>(ruleChange, body),
    rules: async (body) =>
      Array.isArray(body)
        ? { several: true, drafts: await ruleDrafts(body) }
        : { several: false, drafts: [validate<RuleDraft>(ruleDraft, body)] },
    subscription: (body) => validate<Shapes['subscription']>(subscriptionDraft, body),
  };
}

/** Opens them; a thread for facts and one for the rest are started when they are first needed. */
export function openPolicyBodies(settings: ShapeSettings): PolicyBodies {
  const readers = policyReaders(settings);
  const file = new URL('../policy-worker.js', import.meta.url);
  // Facts may come from anybody.
  const facts = bodyThread<PolicyOrder, unknown>(file, settings);
  const others = bodyThread<PolicyOrder, unknown>(file, settings);
  return {
    read<S extends keyof Shapes>(shape: S, bytes: Buffer, client?: string) {
      if (bytes.length <= ON_THE_SPOT) return readers[shape](parseJson(bytes));
      const thread = shape === 'facts' ? facts : others;
      return thread.run({ shape, bytes, client }) as Promise<Shapes[S]>;
    },
    async close() {
      await Promise.all([facts.close(), others.close()]);
    },
  };
}
