import { type BodyOrder, bodyThread, LARGEST_INLINE } from '../../untrusted/body-thread.js';
import { parseJson } from '../../untrusted/json-text.js';
import { type FactColumns, factsOf } from '../facts/fact-columns.js';
import { factsReader } from '../facts/facts.js';
import type { FactsSettings } from '../facts/measuring-attributes.js';
import type { RuleDraft } from '../rules/rule.js';
import { mqttMeasurements } from '../sources/mqtt-message.js';
import { factsByEntityReader, type PackedBody, unpackedBody } from './facts-by-entity-body.js';
import { quietDraft } from './quiet-schema.js';
import { ruleList, ruleSchemas, wantedAck, wantedMute, windowSizeDraft } from './schemas.js';
import { subscriptionDraft } from './subscription-schema.js';
import { validate, validateEach } from './validate.js';

/** The settings for bodies. */
export interface BodySettings extends FactsSettings {
  /** Maximum window size. */
  readonly windowMax: number;
}

/** An order for a thread of large bodies. */
export interface PolicyOrder extends BodyOrder {
  readonly name: keyof OperationBodies;
}

/** Makes the functions that check parsed bodies. */
export function policyReaders({ hdd, metrics, windowMax }: BodySettings) {
  const { ruleDraft, ruleChange } = ruleSchemas(metrics);
  const windowSize = windowSizeDraft(windowMax);
  return {
    /** Operation 1. */
    facts: factsReader({ hdd, metrics }),
    /** Facts by entity. */
    factsByEntity: factsByEntityReader({ hdd, metrics }),
    /** The payload of an MQTT message. */
    mqtt: mqttMeasurements,
    /** Operation 3. */
    windowSize: (body: unknown) => validate(windowSize, body),
    /** Operation 4. */
    rule: (body: unknown) => validate(ruleDraft, body),
    /** Operations 6 and 12. */
    ruleChange: (body: unknown) => validate(ruleChange, body),
    /** Operation 11: a rule, or a list of rules. */
    rules: async (body: unknown) =>
      Array.isArray(body)
        ? { several: true, drafts: await ruleDrafts({ ruleDraft }, body) }
        : { several: false, drafts: [validate(ruleDraft, body)] },
    /** Operation 15. The route checks whether the url may be called. */
    subscription: (body: unknown) => validate(subscriptionDraft, body),
    mute: (body: unknown) => validate(wantedMute, body),
    ack: (body: unknown) => validate(wantedAck, body),
    quiet: (body: unknown) => validate(quietDraft, body),
  };
}

type Readers = ReturnType<typeof policyReaders>;

/** The bodies of the operations, by name. */
export type OperationBodies = { readonly [B in keyof Readers]: Awaited<ReturnType<Readers[B]>> };

/** Checks the rules of operation 11. Rejects with one `Refusal('bad-request')` that names every problem. */
export async function ruleDrafts(
  { ruleDraft }: Pick<ReturnType<typeof ruleSchemas>, 'ruleDraft'>,
  body: unknown,
): Promise<readonly RuleDraft[]> {
  return validateEach(ruleDraft, validate(ruleList, body));
}

/** Returns what the thread read from a body: it sends facts in columns. */
function unpackedResult(name: keyof OperationBodies, result: unknown): unknown {
  if (name === 'facts') return factsOf(result as FactColumns)[0];
  return name === 'factsByEntity' ? unpackedBody(result as PackedBody) : result;
}

/** The bodies with measurements. */
const MEASURING: ReadonlySet<keyof OperationBodies> = new Set(['facts', 'factsByEntity', 'mqtt']);

/** Reads the bodies of the policy API. */
export type PolicyBodies = ReturnType<typeof openPolicyBodies>;

/** Opens the bodies. A thread for facts and one for the other bodies start on first use. */
export function openPolicyBodies(settings: BodySettings) {
  const readers: {
    readonly [B in keyof OperationBodies]: (
      body: unknown,
    ) => OperationBodies[B] | Promise<OperationBodies[B]>;
  } = policyReaders(settings);
  const file = new URL('./bodies-worker.js', import.meta.url);
  // Measurements may come from anybody. They must not delay the bodies of callers with tokens.
  const facts = bodyThread<PolicyOrder, unknown>(file, settings);
  const rest = bodyThread<PolicyOrder, unknown>(file, settings);
  return {
    /**
     * Reads and checks an inflated body. A short body is read at once, a large one in a thread, where the client addresses
     * (`client`) take turns. Throws or rejects with a `Refusal`: `unreadable`, `bad-request` with every problem, or
     * `unavailable` if too many bytes wait.
     */
    read<B extends keyof OperationBodies>(
      name: B,
      bytes: Buffer,
      client?: string,
    ): OperationBodies[B] | Promise<OperationBodies[B]> {
      if (bytes.length <= LARGEST_INLINE) return readers[name](parseJson(bytes));
      const thread = MEASURING.has(name) ? facts : rest;
      const result = thread.run({ name, bytes, client });
      return result.then((one) => unpackedResult(name, one) as OperationBodies[B]);
    },
    /** Refuses the bodies in the threads as `unavailable`. */
    async close(): Promise<void> {
      await Promise.all([facts.close(), rest.close()]);
    },
  };
}
