import { createHash } from 'node:crypto';
import type { Hex } from '../chain/port.js';
import type { Address } from '../store/port.js';

export const ENTITY = 'entity';
export const ENTITY_INDEX = 'entityIndex';
export const ACCOUNT = 'account';
export const TRANSACTION = 'transaction';
export const KEY = 'key';
export const BLOCK = 'block';
export const OPERATION = 'operation';

/** The tenant in addresses of actors that no single tenant owns: entities and entity indexes. */
const LEDGER = 'ledger';
/** Longest id of an entity in an address, bytes. */
const LONGEST = 600;
/** Digits of a block's number: enough for every safe integer. */
const NUMBER_DIGITS = 16;

/** Returns the address of an entity: with its id, or with a digest of a long id. */
export function entityAddress(entityId: string): Address {
  const isShort = Buffer.byteLength(entityId) <= LONGEST;
  const name = isShort ? entityId : `sha256:${createHash('sha256').update(entityId).digest('hex')}`;
  return { kind: ENTITY, tenant: LEDGER, name };
}

/** The entity index of all tenants. */
export const EVERYBODY = '*';

/** Returns the address of a tenant's entity index, or of the one of `EVERYBODY`. */
export function entityIndexAddress(index: string): Address {
  return { kind: ENTITY_INDEX, tenant: LEDGER, name: index };
}

/** Returns the address of an account. `chain` is a chain's name. */
export function accountAddress(chain: string, account: Hex): Address {
  return { kind: ACCOUNT, tenant: chain, name: account };
}

export function transactionAddress(chain: string, hash: Hex): Address {
  return { kind: TRANSACTION, tenant: chain, name: hash };
}

/** Returns the address of a block. Names are in the order of numbers; blocks with the same number differ in their hashes. */
export function blockAddress(chain: string, number: number, hash: Hex): Address {
  return { kind: BLOCK, tenant: chain, name: `${String(number).padStart(NUMBER_DIGITS, '0')}/${hash}` };
}

/** Returns number and hash of a block. The inverse of `blockAddress`. */
export function blockOf({ name }: Address): { readonly number: number; readonly hash: Hex } {
  return { number: Number(name.slice(0, NUMBER_DIGITS)), hash: name.slice(NUMBER_DIGITS + 1) as Hex };
}

/** Returns the address of an Idempotency-Key, which belongs to an account. */
export function keyAddress(account: Hex, key: string): Address {
  return { kind: KEY, tenant: account, name: createHash('sha256').update(key).digest('hex') };
}

/** Stands for no tenant in addresses of accepted operations. No NGSILD-Tenant has this character. */
const NO_TENANT = '*';

/** Returns the address of an accepted operation. `digest`: 64 hexadecimal digits. */
export function operationAddress(tenant: string | undefined, digest: string): Address {
  return { kind: OPERATION, tenant: tenant ?? NO_TENANT, name: digest };
}

/** Returns the id of an accepted operation in the API: it names the tenant, by which the actor is found. */
export function operationId({ tenant, name }: Address): string {
  return tenant === NO_TENANT ? name : `${name}.${tenant}`;
}

/** The pattern of the id of an accepted operation. */
export const OPERATION_ID_PATTERN = '^([0-9a-f]{64})(?:\\.([A-Za-z0-9_-]{1,64}))?$';
const operationIdPattern = new RegExp(OPERATION_ID_PATTERN);

/** Returns the address of the id of an accepted operation: the inverse of `operationId`; undefined if it cannot be one. */
export function addressOfOperation(id: string): Address | undefined {
  const [, digest, tenant] = operationIdPattern.exec(id) ?? [];
  return digest === undefined ? undefined : operationAddress(tenant, digest);
}
