import { type BodyOrder, bodyThread, LARGEST_INLINE } from '../../untrusted/body-thread.js';
import { parseJson } from '../../untrusted/json-text.js';
import { type Facts, factsReader } from '../facts/facts.js';
import type { FactsSettings } from '../facts/measuring-attributes.js';
import type { RuleChange, RuleDraft } from '../rules/rule.js';
import type { WantedMute } from '../mute/mute-end.js';
import { type FactsByEntityBody, factsByEntityReader } from './facts-by-entity-body.js';
import {
  ruleList,
  ruleSchemas,
  type RuleSchemas,
  subscriptionDraft,
  wantedMute,
  windowSizeDraft,
} from './schemas.js';
import { validate, validateEach } from './validate.js';

/** The bodies of the operations, by name. */
export interface OperationBodies {
  /** Operation 1. */
  readonly facts: Facts;
  /** Facts by entity. */
  readonly factsByEntity: FactsByEntityBody;
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
  readonly mute: WantedMute;
}

/** The settings for bodies. */
export interface BodySettings extends FactsSettings {
  /** Maximum window size. */
  readonly windowMax: number;
}

/** Reads the bodies of the policy API. */
export interface PolicyBodies {
  /**
   * Reads and checks an inflated body. A short body is read at once, a large one in a thread, where the client addresses
   * (`client`) take turns. Throws or rejects with a `Refusal`: `unreadable`, `bad-request` with every problem, or
   * `unavailable` if too many bytes wait.
   */
  read<B extends keyof OperationBodies>(
    name: B,
    bytes: Buffer,
    client?: string,
  ): OperationBodies[B] | Promise<OperationBodies[B]>;
  /** Refuses the bodies in the threads as `unavailable`. */
  close(): Promise<void>;
}

/** An order for a thread of large bodies. */
export interface PolicyOrder extends BodyOrder {
  readonly name: keyof OperationBodies;
}

type Readers = {
  readonly [B in keyof OperationBodies]: (body: unknown) => OperationBodies[B] | Promise<OperationBodies[B]>;
};

/** Makes the functions that check parsed bodies. */
export function policyReaders({ hdd, metrics, windowMax }: BodySettings): Readers {
  const rules = ruleSchemas(metrics);
  const readFacts = factsReader({ hdd, metrics });
  const readByEntity = factsByEntityReader({ hdd, metrics });
  const windowSize = windowSizeDraft(windowMax);
  return {
    facts: readFacts,
    factsByEntity: readByEntity,
    windowSize: (body) => validate<OperationBodies['windowSize']>(windowSize, body),
    rule: (body) => validate(rules.ruleDraft, body),
    ruleChange: (body) => validate(rules.ruleChange, body),
    rules: async (body) =>
      Array.isArray(body)
        ? { several: true, drafts: await ruleDrafts(rules, body) }
        : { several: false, drafts: [validate(rules.ruleDraft, body)] },
    subscription: (body) => validate<OperationBodies['subscription']>(subscriptionDraft, body),
    mute: (body) => validate<WantedMute>(wantedMute, body),
  };
}

/** Checks the rules of operation 11. Rejects with one `Refusal('bad-request')` that names every problem. */
export async function ruleDrafts(
  { ruleDraft }: Pick<RuleSchemas, 'ruleDraft'>,
  body: unknown,
): Promise<readonly RuleDraft[]> {
  return validateEach(ruleDraft, validate(ruleList, body));
}

/** Opens the bodies. A thread for facts and one for the other bodies start on first use. */
export function openPolicyBodies(settings: BodySettings): PolicyBodies {
  const readers = policyReaders(settings);
  const file = new URL('./bodies-worker.js', import.meta.url);
  // Facts may come from anybody. They must not delay the bodies of callers with tokens.
  const facts = bodyThread<PolicyOrder, unknown>(file, settings);
  const rest = bodyThread<PolicyOrder, unknown>(file, settings);
  return {
    read<B extends keyof OperationBodies>(name: B, bytes: Buffer, client?: string) {
      if (bytes.length <= LARGEST_INLINE) return readers[name](parseJson(bytes));
      const thread = name === 'facts' || name === 'factsByEntity' ? facts : rest;
      return thread.run({ name, bytes, client }) as Promise<OperationBodies[B]>;
    },
    async close() {
      await Promise.all([facts.close(), rest.close()]);
    },
  };
}
