import { array, mixed, object, string, ValidationError } from 'yup';
import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import { isObject } from '../../untrusted/json.js';
import { quoted } from '../../untrusted/text.js';
import { assetIdOf, hashWith } from '../content/content-hash.js';
import { below, Faults, type Place } from '../content/faults.js';
import { MAX_ENTITIES } from '../content/batch-content.js';
import { merkleTree } from '../content/merkle.js';
import { DEFAULT_REQUESTOR } from '../content/query.js';
import { A_URI, isUri } from '../content/uri.js';
import type { OperationName } from '../shapes.js';
import { type BodyOrder, bodyThread, LARGEST_INLINE } from '../../untrusted/body-thread.js';
import { parseContent } from '../content/content-json.js';

/**
 * The claim that a transaction has recorded this content (docs/ledger-api.md, "Verify"): an entity, entities of a batch, a
 * fragment, or a query.
 */
export type Claim = { readonly transactionHash: Hex } & (
  | { readonly entity: ClaimedEntity; readonly proof?: readonly Hex[] }
  | { readonly entities: readonly ClaimedEntity[] }
  | { readonly entityId: string; readonly fragment: JsonObject }
  /** Without `relatedEntity` the query may be related to any entity. */
  | { readonly query: JsonObject; readonly relatedEntity?: string }
);

type JsonObject = Readonly<Record<string, unknown>>;
type ClaimedEntity = JsonObject & { readonly id: string };

/** The record that a transaction must have for a claim to hold. */
export interface Hashed {
  readonly operation: OperationName;
  /** undefined for a query without `relatedEntity`: any `assetId` will do then. */
  readonly entityId: string | undefined;
  /** 32 bytes each, as L1 to L4 record them. */
  readonly assetId: Hex;
  readonly hash: Hex;
  /** Hashes from an entity up to the root of its batch. */
  readonly proof: readonly Hex[] | undefined;
}

/** Hashed entities of a batch, in the order of the claim. */
export interface HashedEntities {
  readonly entries: readonly Hashed[];
  /** Root of the batch that has exactly these entities. */
  readonly root: Hex;
}

/** Longest proof, hashes: a batch has fewer than 2^64 entities. */
const LONGEST_PROOF = 64;

const WORD = 'must be 0x and 64 hexadecimal digits';
const word = string()
  .strict()
  .typeError(WORD)
  .matches(/^0x[\da-f]{64}$/i, WORD);
const id = mixed()
  .nonNullable(A_URI)
  .test('uri', A_URI, (value) => value === undefined || isUri(value));
const OBJECT = 'must be a JSON object';
const json = mixed()
  .nonNullable(OBJECT)
  .test('object', OBJECT, (value) => value === undefined || isObject(value));
const PROOF = `must be an array of at most ${LONGEST_PROOF} hashes, as in the receipt`;

const ENTITIES = 'must be a non-empty array of entities';
const ENTITY = `must be an entity: a JSON object with an id, which ${A_URI}`;

const SHAPES =
  'must have exactly one of: entity (and proof, if at hand); entities; entityId and fragment; query (and relatedEntity, if at hand)';
const MEMBERS = [
  'transactionHash',
  'entity',
  'proof',
  'entities',
  'entityId',
  'fragment',
  'query',
  'relatedEntity',
];

const schema = object({
  transactionHash: word.required(WORD),
  entity: json.test('id', `must have an id, which ${A_URI}`, (value) => !isObject(value) || isEntity(value)),
  proof: array(word.required(WORD)).strict().typeError(PROOF).nonNullable(PROOF).max(LONGEST_PROOF, PROOF),
  // Its elements are checked afterwards: there may be thousands.
  entities: mixed()
    .nonNullable(ENTITIES)
    .test('entities', ENTITIES, (value) => value === undefined || (Array.isArray(value) && value.length > 0)),
  entityId: id,
  fragment: json,
  query: json,
  relatedEntity: id,
})
  .typeError(OBJECT)
  .noUnknown(
    ({ unknown }: { unknown?: string }) =>
      `must not have other members than ${MEMBERS.join(', ')}; it has ${quoted(unknown ?? '')}`,
  )
  .strict()
  .required(OBJECT)
  .test('shape', SHAPES, (value) => !isObject(value) || hasShape(value));

/** Returns the claim in a body. Throws `Refusal('bad-request')` that names every problem. */
export function claimOf(body: unknown): Claim {
  // Before the schema, which would check each of a hundred thousand members.
  const proof = isObject(body) ? body['proof'] : undefined;
  if (Array.isArray(proof) && proof.length > LONGEST_PROOF) {
    throw new Refusal('bad-request', `proof: ${PROOF}; it has ${proof.length}`);
  }
  try {
    schema.validateSync(body, { abortEarly: false, disableStackTrace: true });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const faults = new Faults();
    for (const { path, message } of error.inner.length > 0 ? error.inner : [error])
      faults.add(placeOf(path), message);
    faults.refuse();
  }
  // Not the schema's copy: content is hashed as it came.
  const claim = body as Claim;
  const transactionHash = lower(claim.transactionHash);
  if ('entities' in claim) checkEntities(claim.entities);
  if (!('entity' in claim) || claim.proof === undefined) return { ...claim, transactionHash };
  return { ...claim, transactionHash, proof: claim.proof.map(lower) };
}

/** Throws `Refusal`: `too-large`, or `bad-request` that names every element that is not an entity. */
function checkEntities(entities: readonly unknown[]): void {
  if (entities.length > MAX_ENTITIES)
    throw new Refusal('too-large', `entities: must be at most ${MAX_ENTITIES}; there are ${entities.length}`);
  const faults = new Faults();
  entities.forEach((entity, i) => {
    if (!isEntity(entity)) faults.add(below(below(undefined, 'entities'), i), ENTITY);
  });
  faults.refuse();
}

function isEntity(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, 'id') && isUri(value['id']);
}

/** Hashes the content of a claim, as the operations do. Throws `Refusal('bad-request')` for content without a canonical form. */
export function hashed(claim: Claim): Hashed | HashedEntities {
  const faults = new Faults();
  if (!('entities' in claim)) {
    const { content, at, ...parts } = partsOf(claim);
    const hash = hashWith(faults, content, below(undefined, at));
    faults.refuse();
    return { ...parts, assetId: assetIdOf(parts.entityId ?? DEFAULT_REQUESTOR), hash };
  }
  const at = below(undefined, 'entities');
  const entries = claim.entities.map((entity, i): Hashed => {
    const hash = hashWith(faults, entity, below(at, i));
    return {
      operation: 'create',
      entityId: entity.id,
      assetId: assetIdOf(entity.id),
      hash,
      proof: undefined,
    };
  });
  faults.refuse();
  return { entries, root: merkleTree(entries.map(({ hash }) => hash)).root };
}

function partsOf(claim: Exclude<Claim, { readonly entities: unknown }>): Pick<
  Hashed,
  'operation' | 'entityId' | 'proof'
> & {
  readonly content: JsonObject;
  readonly at: string;
} {
  if ('entity' in claim) {
    const { entity, proof } = claim;
    return { operation: 'create', entityId: entity.id, proof, content: entity, at: 'entity' };
  }
  if ('fragment' in claim) {
    const { entityId, fragment } = claim;
    return { operation: 'update', entityId, proof: undefined, content: fragment, at: 'fragment' };
  }
  const { query, relatedEntity } = claim;
  const { entityId } = query;
  return typeof entityId === 'string'
    ? { operation: 'retrieve', entityId, proof: undefined, content: query, at: 'query' }
    : { operation: 'query', entityId: relatedEntity, proof: undefined, content: query, at: 'query' };
}

/** Parses a path of the schema, such as `proof[3]`. */
function placeOf(path = ''): Place {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce<Place>((up, step) => below(up, /^\d+$/.test(step) ? Number(step) : step), undefined);
}

function hasShape(body: Readonly<Record<string, unknown>>): boolean {
  const given = MEMBERS.filter((name) => name !== 'transactionHash' && body[name] !== undefined).join(' ');
  return /^(?:entity(?: proof)?|entities|entityId fragment|query(?: relatedEntity)?)$/.test(given);
}

function lower(hex: Hex): Hex {
  return hex.toLowerCase() as Hex;
}

/** A claim with hashed content. */
export interface HashedClaim {
  readonly transactionHash: Hex;
  readonly content: Hashed | HashedEntities;
}

/** Reads and hashes the claims in bodies; large bodies in a worker thread. */
export type Claims = ReturnType<typeof openClaims>;

/** Returns the claims. The worker thread starts with the first large body. */
export function openClaims() {
  const thread = bodyThread<BodyOrder, HashedClaim>(new URL('./claim-worker.js', import.meta.url));
  return {
    /**
     * Returns the claim in a body. `bytes`: the body, inflated; `client`: the address that it comes from. Throws `Refusal`:
     * `unreadable`, `bad-request` that names every problem, `unavailable` if too many bytes wait.
     */
    async of(bytes: Buffer, client?: string): Promise<HashedClaim> {
      return bytes.length <= LARGEST_INLINE ? claimIn({ bytes }) : thread.run({ bytes, client });
    },
    /** Refuses claims in progress as `unavailable`. */
    close: () => thread.close(),
  };
}

/** As `Claims.of`, in the calling thread. */
export function claimIn({ bytes }: BodyOrder): HashedClaim {
  const claim = claimOf(parseContent(bytes));
  return { transactionHash: claim.transactionHash, content: hashed(claim) };
}
