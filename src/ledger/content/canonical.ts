import canonicalize from 'canonicalize';
import type { Hex } from '../../chain/port.js';
import { Faults, type Place, below } from './faults.js';
import { hexOf, keccak } from '../../system/chain-bytes.js';

/**
 * The keccak-256 of a JSON value's canonical form: what the chain keeps of an operation. Throws `Refusal('bad-request')`
 * that names every place of what has no canonical form.
 */
export function hashOf(value: unknown): Hex {
  const faults = new Faults();
  const hash = hashWith(faults, value, undefined);
  faults.refuse();
  return hash;
}

/** As `hashOf`; faults are added, with their places below `place`, and the hash given then means nothing. */
export function hashWith(faults: Faults, value: unknown, place: Place): Hex {
  return hexOf(keccak(canonicalText(faults, value, place)));
}

/**
 * A JSON value in canonical form (RFC 8785). Infinity, which JSON.parse makes of numbers beyond the range of a double,
 * NaN and unpaired surrogates have none: faults.
 */
function canonicalText(faults: Faults, value: unknown, place: Place): string {
  try {
    const text = canonicalize(value);
    if (text === undefined) faults.add(place, 'must be a JSON value');
    return text ?? '';
  } catch (error) {
    // The library does not say where; looking again is for the few who need to know.
    if (!addFaults(faults, value, place)) throw error;
    return '';
  }
}

/** True when there were any. */
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
