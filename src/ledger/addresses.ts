import { createHash } from 'node:crypto';
import type { Hex } from '../chain/port.js';
import type { Address } from '../store/port.js';

export const ENTITY = 'entity';
export const REGISTER = 'register';
export const ACCOUNT = 'account';
export const TRANSACTION = 'transaction';
export const KEY = 'key';
export const BLOCK = 'block';

/** The tenant in the addresses of what belongs to no tenant: a transaction counts for whoever may ask for it. */
const LEDGER = 'ledger';
/** Bytes of an entity's id that an address has room for. */
const LONGEST = 600;
/** Of a block's number: as many as any that can be counted exactly has. */
const NUMBER_DIGITS = 16;

/** Entities go by their ids, those with long ones by a digest. */
export function entityAddress(entityId: string): Address {
  return { kind: ENTITY, tenant: LEDGER, name: entityName(entityId) };
}

/** The name of an entity in addresses. */
function entityName(entityId: string): string {
  if (Buffer.byteLength(entityId) <= LONGEST) return entityId;
  return `sha256:${createHash('sha256').update(entityId).digest('hex')}`;
}

/** The register of all entities. */
export const EVERYBODY = '*';

/** The register of a tenant's entities, or of `EVERYBODY`'s. */
export function registerAddress(register: string): Address {
  return { kind: REGISTER, tenant: LEDGER, name: register };
}

/** `chain` is a chain's name. */
export function accountAddress(chain: string, account: Hex): Address {
  return { kind: ACCOUNT, tenant: chain, name: account };
}

export function transactionAddress(chain: string, hash: Hex): Address {
  return { kind: TRANSACTION, tenant: chain, name: hash };
}

/** A block of a chain: one of them for each that had its number, in the order of the numbers. */
export function blockAddress(chain: string, number: number, hash: Hex): Address {
  return { kind: BLOCK, tenant: chain, name: `${String(number).padStart(NUMBER_DIGITS, '0')}/${hash}` };
}

/** The inverse of `blockAddress`. */
export function blockOf({ name }: Address): { readonly number: number; readonly hash: Hex } {
  return { number: Number(name.slice(0, NUMBER_DIGITS)), hash: name.slice(NUMBER_DIGITS + 1) as Hex };
}

/** A key is its account's. */
export function keyAddress(account: Hex, key: string): Address {
  return { kind: KEY, tenant: account, name: createHash('sha256').update(key).digest('hex') };
}
