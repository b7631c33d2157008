import { createHash } from 'node:crypto';
import type { OfTenant, Operation } from '../operation.js';
import { batchContent } from './batch-content.js';
import { assetIdOf, hashWith } from './content-hash.js';
import { parseContent } from './content-json.js';
import { type ContextRule, checkEntity, checkFragment } from './entity.js';
import { Faults, below } from './faults.js';
import { notificationContent } from './notification.js';
import { DEFAULT_REQUESTOR, type Query, type QueryParameters, readQuery, readRetrieval } from './query.js';
import { A_URI, isUri } from './uri.js';

/** The parts of a request that all operations have. */
export interface Common extends ContextRule, OfTenant {
  /** The Link header. */
  readonly link: string | undefined;
}

/** A body, inflated, with its operation. */
export type Order = {
  readonly bytes: Buffer;
  readonly common: Common;
  /** The client's address. */
  readonly client?: string;
} & (
  | { readonly name: 'create' | 'upsert' | 'replace' | 'notify' }
  | { readonly name: 'update'; readonly entityId: string }
);

/**
 * L1 (ledger §4, create entity). Throws `Refusal('bad-request')` that names every fault of the body, as the other
 * operations do.
 */
export function createOperation(body: unknown, common: Common): Operation {
  const faults = linkFaults(common);
  checkEntity(body, undefined, common, faults);
  const hash = hashWith(faults, body, undefined);
  faults.refuse();
  const { id } = body as { readonly id: string };
  return { name: 'create', assetId: assetIdOf(id), hash, entities: [id], ...plain(common) };
}

/** L3 (ledger §4, update entity). */
export function updateOperation(entityId: string, body: unknown, common: Common): Operation {
  const faults = linkFaults(common);
  checkUri('entityId', entityId, faults);
  checkFragment(body, entityId, common, faults);
  const hash = hashWith(faults, body, undefined);
  faults.refuse();
  return { name: 'update', assetId: assetIdOf(entityId), hash, entities: [entityId], ...plain(common) };
}

/** L2 (ledger §4, query entities). */
export function queryOperation(
  given: QueryParameters,
  relatedEntity: string | undefined,
  common: Common,
): Operation {
  const faults = new Faults();
  const related = relatedEntity ?? DEFAULT_REQUESTOR;
  checkUri('Related-Entity', related, faults);
  return asked('query', related, readQuery(given, faults), common, faults);
}

/** L4 (ledger §4, retrieve entity). */
export function retrieveOperation(entityId: string, given: QueryParameters, common: Common): Operation {
  const faults = new Faults();
  checkUri('entityId', entityId, faults);
  return asked('retrieve', entityId, { ...readRetrieval(given, faults), entityId }, common, faults);
}

/**
 * L5 (ledger §4, batch): the operation of a batch whose body, inflated, is `bytes`. Throws `Refusal` as well:
 * `unreadable`, `too-large` for more than 25,000 entities; faults are named by the index of the entity.
 */
function batchOperation(bytes: Buffer, name: 'upsert' | 'replace', common: Common): Operation {
  linkFaults(common).refuse();
  const { root, entityIds, pages } = batchContent(bytes, common);
  return { name, assetId: root, hash: root, entities: entityIds, ...plain(common), batch: { pages } };
}

/** The operation of a notification whose body, inflated, is `bytes`. Throws as `batchOperation`. */
function notifyOperation(bytes: Buffer, common: Common): Operation {
  const { root, entityIds, pages, notification } = notificationContent(bytes);
  const batch = { pages };
  return {
    name: 'notify',
    assetId: root,
    hash: root,
    entities: entityIds,
    ...plain(common),
    batch,
    notification,
  };
}

/** The operation that a body, inflated, is about. Throws as the operations above, and what `parseContent` throws. */
export function operationOf({ bytes, common, ...asked }: Order): Operation {
  switch (asked.name) {
    case 'create':
      return createOperation(parseContent(bytes), common);
    case 'update':
      return updateOperation(asked.entityId, parseContent(bytes), common);
    case 'upsert':
    case 'replace':
      return batchOperation(bytes, asked.name, common);
    case 'notify':
      return notifyOperation(bytes, common);
  }
}

/**
 * Returns a digest of the content that requests with one Idempotency-Key must share: operation, path id, query,
 * Related-Entity, canonical body and tenant. A batch with its entities in another order has other content. The Link of
 * L1, L3 and L5 does not count.
 */
export function idempotencyContent(
  { name, tenant, hash, batch, entities }: Operation,
  more: { readonly entityId?: string; readonly relatedEntity?: string },
): string {
  const { entityId = null, relatedEntity = null } = more;
  // The root of a batch does not depend on the order of its entities.
  const order = batch === undefined ? null : entities;
  const content = [name, tenant ?? null, entityId, relatedEntity, hash, order];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

function asked(
  name: 'query' | 'retrieve',
  entityId: string,
  parameters: Query,
  common: Common,
  faults: Faults,
): Operation {
  const query = common.link === undefined ? parameters : { ...parameters, link: common.link };
  const hash = hashWith(faults, query, undefined);
  faults.refuse();
  return { name, assetId: assetIdOf(entityId), hash, entities: [entityId], ...plain(common), query };
}

function plain({
  tenant,
  tenantName,
  link,
}: Common): Pick<Operation, keyof OfTenant | 'link' | 'batch' | 'query'> {
  return { tenant, tenantName, link, batch: undefined, query: undefined };
}

function linkFaults({ ldJson, link }: Common): Faults {
  const faults = new Faults();
  if (ldJson && link !== undefined) {
    faults.add(
      below(undefined, 'Link'),
      'must be left out: a body of application/ld+json has its @context inside',
    );
  }
  return faults;
}

function checkUri(name: string, value: string, faults: Faults): void {
  if (!isUri(value)) faults.add(below(undefined, name), A_URI);
}
