import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import { fieldOf } from '../../untrusted/json.js';
import { BATCH_PAGE, type BatchEntry } from '../operation.js';
import { hashWith } from './content-hash.js';
import { parseContent } from './content-json.js';
import { type ContextRule, checkEntity } from './entity.js';
import { Faults, type Place, below } from './faults.js';
import { merkleTree } from './merkle.js';

/** Maximum number of entities of a batch. The answer holds a proof of a kilobyte for each, whatever the entity's size. */
export const MAX_ENTITIES = 25_000;

/**
 * Parses, checks and hashes the body of L5. Throws `Refusal`: `unreadable`, `bad-request` naming the entities by their
 * index, `too-large` for more than 25,000 entities. `pages` are as in `Batch.pages`, `entityIds` in the order of the batch.
 */
export function batchContent(bytes: Buffer, rule: ContextRule) {
  const body = parseContent(bytes);
  if (!Array.isArray(body) || body.length === 0) {
    throw new Refusal('bad-request', 'body: must be a non-empty array of entities');
  }
  return hashedBatch(body, undefined, rule, new Faults());
}

/**
 * Checks and hashes the entities of a batch, an array at `place`. Returns and throws as `batchContent`. A refusal also names the
 * faults that were found before.
 */
export function hashedBatch(entities: readonly unknown[], place: Place, rule: ContextRule, faults: Faults) {
  if (entities.length > MAX_ENTITIES) {
    throw new Refusal(
      'too-large',
      `the batch must not have more than ${MAX_ENTITIES} entities; it has ${entities.length}`,
    );
  }
  const hashes = entities.map((entity, i) => {
    checkEntity(entity, below(place, i), rule, faults);
    return hashWith(faults, entity, below(place, i));
  });
  faults.refuse();
  const entityIds = entities.map((entity) => String(fieldOf(entity, 'id')));
  return { ...proofs(entityIds, hashes), entityIds };
}

function proofs(entityIds: readonly string[], hashes: readonly Hex[]) {
  const tree = merkleTree(hashes);
  const pages: string[] = [];
  for (let from = 0; from < hashes.length; from += BATCH_PAGE) {
    const page = hashes.slice(from, from + BATCH_PAGE).map((hash, i): BatchEntry => {
      return { entityId: entityIds[from + i]!, hash, proof: tree.proof(from + i) };
    });
    pages.push(JSON.stringify(page));
  }
  return { root: tree.root, pages };
}
