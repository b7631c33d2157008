import { type BodyOrder, bodyThread, LARGEST_INLINE } from '../../untrusted/body-thread.js';
import { parseJson } from '../../untrusted/json-text.js';
import { readFacts } from '../facts/facts.js';
import type { Facts, HddReading } from '../facts/facts.js';
import type { RuleChange, RuleDraft } from '../rules/rule.js';
import { ruleChange, ruleDraft, ruleList, subscriptionDraft, windowSizeDraft } from './schemas.js';
import { validate, validateEach } from './validate.js';

/** The bodies of the operations, by name. */
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
  /** Operation 15. The route checks whether the url may be called. */
  readonly subscription: { readonly ruleId: string; readonly url: string };
}

/** The settings for bodies. */
export interface ShapeSettings {
  readonly hdd: HddReading;
  /** Largest window size. */
  readonly windowMax: number;
}

/** Reads the bodies of the policy API. */
export interface PolicyBodies {
  /**
   * Reads and checks an inflated body. A short body is read at once, a large one in a thread, where the client addresses
   * (`client`) take turns. Throws or rejects with a `Refusal`: `unreadable`, `bad-request` with every problem, or
   * `unavailable` if too many bytes wait.
   */
  read<S extends keyof Shapes>(shape: S, bytes: Buffer, client?: string): Shapes[S] | Promise<Shapes[S]>;
  /** Refuses the bodies in the threads as `unavailable`. */
  close(): Promise<void>;
}

/** An order for a thread of large bodies. */
export interface PolicyOrder extends BodyOrder {
  readonly shape: keyof Shapes;
}

type Readers = { readonly [S in keyof Shapes]: (body: unknown) => Shapes[S] | Promise<Shapes[S]> };

/** Makes the functions that check parsed bodies. */
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

/** Checks the rules of operation 11. Rejects with one `Refusal('bad-request')` that names every problem. */
export async function ruleDrafts(body: unknown): Promise<readonly RuleDraft[]> {
  return validateEach<RuleDraft>(ruleDraft, validate(ruleList, body));
}

/** Opens the bodies. A thread for facts and one for the other bodies start on first use. */
export function openPolicyBodies(settings: ShapeSettings): PolicyBodies {
  const readers = policyReaders(settings);
  const file = new URL('./bodies-worker.js', import.meta.url);
  // Facts may come from anybody. They must not delay the bodies of callers with tokens.
  const facts = bodyThread<PolicyOrder, unknown>(file, settings);
  const others = bodyThread<PolicyOrder, unknown>(file, settings);
  return {
    read<S extends keyof Shapes>(shape: S, bytes: Buffer, client?: string) {
      if (bytes.length <= LARGEST_INLINE) return readers[shape](parseJson(bytes));
      const thread = shape === 'facts' ? facts : others;
      return thread.run({ shape, bytes, client }) as Promise<Shapes[S]>;
    },
    async close() {
      await Promise.all([facts.close(), others.close()]);
    },
  };
}
