import { fieldOf, isObject } from '../../untrusted/json.js';
import { checkEntityMember } from './attributes.js';
import { type Faults, type Place, below } from './faults.js';
import { A_TYPE, A_URI, isType, isUri } from './uri.js';

/** The place where an entity must have its `@context`. */
export interface ContextRule {
  /** True for the content type application/ld+json: the entity must hold it. */
  readonly ldJson: boolean;
}

const NOT_AN_OBJECT = 'must be a JSON object';

/** Adds the faults of an entity: the body of L1, or an element of the body of L5 (ledger §2, Entity). */
export function checkEntity(body: unknown, place: Place, rule: ContextRule, faults: Faults): void {
  if (!isObject(body)) {
    faults.add(place, NOT_AN_OBJECT);
    return;
  }
  if (!Object.hasOwn(body, 'id')) faults.add(below(place, 'id'), `is required, and ${A_URI}`);
  if (!Object.hasOwn(body, 'type')) faults.add(below(place, 'type'), `is required, and ${A_TYPE}`);
  checkMembers(body, place, rule, faults);
}

/**
 * Adds the faults of a fragment of an entity: the body of L3. It need not have an id; an id must be that of the path.
 */
export function checkFragment(body: unknown, entityId: string, rule: ContextRule, faults: Faults): void {
  if (!isObject(body)) {
    faults.add(undefined, NOT_AN_OBJECT);
    return;
  }
  if (Object.keys(body).every((name) => name === '@context')) faults.add(undefined, 'must have an attribute');
  const id = fieldOf(body, 'id');
  if (isUri(id) && id !== entityId)
    faults.add(below(undefined, 'id'), 'must be the id in the path, or left out');
  checkMembers(body, undefined, rule, faults);
}

function checkMembers(body: object, place: Place, rule: ContextRule, faults: Faults): void {
  if (rule.ldJson && !Object.hasOwn(body, '@context')) {
    faults.add(below(place, '@context'), 'is required in the body that is application/ld+json');
  }
  for (const [name, value] of Object.entries(body)) {
    if (name === 'id') addUnless(isUri(value), faults, below(place, name), A_URI);
    else if (name === 'type') addUnless(isType(value), faults, below(place, name), A_TYPE);
    else if (name === '@context') addUnless(isContext(value), faults, below(place, name), A_CONTEXT);
    else checkEntityMember(name, value, faults, place);
  }
}

function addUnless(fit: boolean, faults: Faults, place: Place, what: string): void {
  if (!fit) faults.add(place, what);
}

const A_CONTEXT = 'must be a URI, an object, or an array of these';

/** Checks the shape alone: content is hashed as it was sent, and never expanded. */
function isContext(value: unknown): boolean {
  return Array.isArray(value)
    ? value.every(isContext)
    : isObject(value) || (typeof value === 'string' && value !== '');
}
