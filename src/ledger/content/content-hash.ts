import canonicalize from 'canonicalize';
import type { Hex } from '../../chain/port.js';
import { Faults, type Place, below } from './faults.js';
import { hexOf, keccak } from '../../system/chain-bytes.js';

/**
 * Returns the keccak-256 of a JSON value's canonical form: the hash that the chain stores for an operation. Throws
 * `Refusal('bad-request')` that names every part without a canonical form.
 */
export function hashOf(value: unknown): Hex {
  const faults = new Faults();
  const hash = hashWith(faults, value, undefined);
  faults.refuse();
  return hash;
}

/** Returns the contract's name for an entity: the keccak-256 of its id, unchanged, in UTF-8 (ledger, "What is hashed"). */
export function assetIdOf(entityId: string): Hex {
  return hexOf(keccak(entityId));
}

/** As `hashOf`, but adds faults, with places below `place`, instead of throwing. With faults the result is meaningless. */
export function hashWith(faults: Faults, value: unknown, place: Place): Hex {
  return hexOf(keccak(canonicalText(faults, value, place)));
}

/**
 * Returns a JSON value in canonical form (RFC 8785). Unpaired surrogates, NaN and Infinity, which JSON.parse returns for
 * numbers beyond the range of a double, have none: they are faults.
 */
function canonicalText(faults: Faults, value: unknown, place: Place): string {
  try {
    const text = canonicalize(value);
    if (text === undefined) faults.add(place, 'must be a JSON value');
    return text ?? '';
  } catch (error) {
    // The library does not name the place: a second pass finds it.
    if (!addFaults(faults, value, place)) throw error;
    return '';
  }
}

/** Adds the faults of a value; true if there are any. */
function addFaults(faults: Faults, value: unknown, place: Place): boolean {
  if (typeof value === 'string')
    return addIf(!value.isWellFormed(), faults, place, 'holds an unpaired surrogate');
  if (typeof value === 'number') {
    return addIf(!Number.isFinite(value), faults, place, 'is a number beyond the range of a double');
  }
  if (typeof value !== 'object' || value === null) return false;
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((element, i) => [i, element] as const)
    : Object.entries(value);
  let found = false;
  for (const [name, member] of members) {
    const at = below(place, name);
    const badName = typeof name === 'string' && !name.isWellFormed();
    found = addIf(badName, faults, at, 'has a name with an unpaired surrogate') || found;
    found = addFaults(faults, member, at) || found;
  }
  return found;
}

function addIf(wrong: boolean, faults: Faults, place: Place, what: string): boolean {
  if (wrong) faults.add(place, what);
  return wrong;
}
