/** A JSON Schema (2020-12) of OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

/** Returns a reference to a schema of the document by its name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Why this service cannot read a listed item: a newer release wrote it, or a part of the service that is off. */
export const UNREADABLE = {
  type: 'string',
  description: 'Present for what a newer release wrote, or a part of the service that is off.',
} as const;

/** The members of an object. A name that ends in `?` marks an optional member. The document has the name without it. */
type Members = Readonly<Record<string, Schema | true>>;

/** Divides members into the schemas by name, and the required names, if there are any, as in JSON Schema. */
function membersOf(members: Members): {
  readonly properties: Members;
  readonly required?: readonly string[];
} {
  const names = Object.keys(members);
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]!]));
  const required = names.filter((name) => !name.endsWith('?'));
  return required.length === 0 ? { properties } : { properties, required };
}

/** Returns an object with these members and no others. */
export function object(members: Members): Schema {
  return { type: 'object', ...membersOf(members), additionalProperties: false };
}

/** Returns an object with these members and any others. `more` are other keywords. */
export function openObject(members: Members, more: Schema = {}): Schema {
  const { properties, ...required } = membersOf(members);
  return { type: 'object', ...more, ...required, properties };
}

/**
 * Returns the schema of an object that the service answers. The compiler compares the members with those of its type.
 */
export function shape<T extends object>(members: {
  readonly [K in keyof T & string as object extends Pick<T, K> ? `${K}?` : K]-?: Schema;
}): Schema {
  return object(members);
}

/** Returns an array. */
export function list(
  items: Schema,
  limits: { readonly minItems?: number; readonly maxItems?: number } = {},
): Schema {
  return { type: 'array', items, ...limits };
}

/** Returns a schema that also allows null. */
export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Returns the schema of a value that is one of these words. */
export function oneOf(words: readonly string[]): Schema {
  return { type: 'string', enum: words };
}

/** Returns a schema with a description. */
export function about(description: string, schema: Schema): Schema {
  return { ...schema, description };
}

/**
 * Marks a value that differs between two services or two moments: an id, a time, a hash, a count. An example has one such
 * value. The spec of the examples compares the service's value with the schema alone, and uses it wherever later examples
 * have the written one.
 */
export function varies(schema: Schema): Schema {
  return { ...schema, 'x-varies': true };
}

export const text: Schema = { type: 'string' };
export const someText: Schema = { type: 'string', minLength: 1 };
export const number: Schema = { type: 'number' };
export const flag: Schema = { type: 'boolean' };
/** A time, ISO 8601, UTC. */
export const time: Schema = varies({ type: 'string', format: 'date-time' });
/** A number of things, from 0. */
export const count: Schema = { type: 'integer', minimum: 0 };
/** An object whose members are not in the document. */
export const anyObject: Schema = { type: 'object' };

/** Returns an integer between two limits, both included. */
export function integer(minimum: number, maximum: number): Schema {
  return { type: 'integer', minimum, maximum };
}
