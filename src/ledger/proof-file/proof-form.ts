import { isObject } from '../../untrusted/json.js';

/** The content that an operation records. */
export type ContentKind = 'entity' | 'fragment' | 'query';

/** Operations with what they record. Those of batches record an entity of several. */
export const CONTENT_OF: ReadonlyMap<string, ContentKind> = new Map([
  ['create', 'entity'],
  ['update', 'fragment'],
  ['query', 'query'],
  ['retrieve', 'query'],
  ['upsert', 'entity'],
  ['replace', 'entity'],
  ['notify', 'entity'],
]);
const OF_BATCHES: ReadonlySet<unknown> = new Set(['upsert', 'replace', 'notify']);

/** A check of a value: the place of the first fault in it; undefined if it has none. */
type Form = (value: unknown, place: string) => string | undefined;

const form =
  (isFit: (value: unknown) => boolean): Form =>
  (value, place) =>
    isFit(value) ? undefined : place;

const pattern = (expression: RegExp): Form =>
  form((value) => typeof value === 'string' && expression.test(value));

function listOf(element: Form, least: number): Form {
  return (value, place) =>
    Array.isArray(value) && value.length >= least
      ? firstFault(value.map((one, i) => () => element(one, `${place}.${i}`)))
      : place;
}

function membersOf(forms: Readonly<Record<string, Form>>): Form {
  const names = Object.keys(forms);
  return (value, place) =>
    isObject(value) &&
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name))
      ? firstFault(names.map((name) => () => forms[name]!(value[name], `${place}.${name}`)))
      : place;
}

/** Looks no further after the first fault. */
function firstFault(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const natural = form((value) => Number.isSafeInteger(value) && (value as number) >= 0);
const text = form((value) => typeof value === 'string' && value.isWellFormed() && value !== '');
const bytes = pattern(/^0x(?:[\da-f]{2})+$/);
const word = pattern(/^0x[\da-f]{64}$/);
const address = pattern(/^0x[\da-f]{40}$/);
const nodes = listOf(bytes, 1);

const MEMBERS: Readonly<Record<string, Form>> = {
  mirzamProof: form((value) => value === 1),
  chainId: natural,
  operation: form((value) => typeof value === 'string' && CONTENT_OF.has(value)),
  entityId: text,
  hash: word,
  assetId: word,
  from: address,
  contract: address,
  // That it is a time, the one in the header, is another step.
  recordedAt: pattern(/^\d{4}(?:-\d\d){2}T\d\d(?::\d\d){2}\.\d{3}Z$/),
  block: membersOf({ number: natural, hash: word, header: bytes }),
  transaction: membersOf({ index: natural, proof: nodes }),
  receipt: membersOf({ proof: nodes }),
};
const single = membersOf(MEMBERS);
const ofBatch = membersOf({ ...MEMBERS, batch: membersOf({ proof: listOf(word, 0) }) });

/**
 * Returns where a JSON value is not a proof file, `it` for the whole; undefined if it is one. Only the form is checked, strictly:
 * no member more, one way to write bytes and the time.
 */
export function formFault(value: unknown): string | undefined {
  const isBatch = isObject(value) && OF_BATCHES.has(value['operation']);
  return (isBatch ? ofBatch : single)(value, 'it');
}
