import { STATUS_CODES } from 'node:http';
import type { Schema } from './schema.js';

/** The authentication of a caller. `none`: no credentials are needed. */
export type Access = 'tenant' | 'operator' | 'vault' | 'factsKey' | 'none';

/** A parameter of an operation. */
export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly description?: string;
  /** Default false. Parameters in the path are always required. */
  readonly required?: boolean;
  readonly schema: Schema;
}

/** A parameter in a path, and its value in examples that name no other. */
export type PathParameter = Omit<Parameter, 'in' | 'name'> & { readonly example?: string };

/** Bodies by media type. */
export type Content = Readonly<Record<string, Schema>>;

/**
 * A request with its answer. A spec sends each example to a running service and compares the answers. Values that
 * `varies` marks are compared with their schemas. Examples are sent in the order of the parts, those of DELETE at the
 * end, in reverse.
 */
export interface Example {
  /** Values of parameters by name. Those in the path have the example of their part, unless one is here. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** Default 200. */
  readonly status?: number;
  /** The body of the answer. */
  readonly answer: unknown;
}

/** Examples of an operation by name: in lower case, with hyphens. */
export type Examples = Readonly<Record<string, Example>>;

/** An operation of an API. */
export interface Operation {
  /** Unique in the document, in camelCase. */
  readonly id: string;
  /** A phrase. */
  readonly summary: string;
  /** Sentences. Grave accents enclose code. */
  readonly description?: string;
  /** Default: the access of its part. */
  readonly access?: readonly Access[];
  /** Parameters beside those in the path. */
  readonly parameters?: readonly Parameter[];
  readonly body?: { readonly content: Content; readonly required?: boolean };
  /** The status of the answer; default 200. */
  readonly status?: 202 | 204;
  /** With 204 without any media type. */
  readonly answer: Content;
  /** Headers of that answer. */
  readonly headers?: Readonly<Record<string, { readonly schema: Schema }>>;
  /** Statuses of errors beside those that each operation of its kind can have (document.ts). */
  readonly errors?: readonly number[];
  /** Answers with a status that is neither an error nor that of `answer`. */
  readonly others?: Readonly<Record<number, { readonly description: string; readonly content?: Content }>>;
  readonly examples?: Examples;
}

/** The name of a format of errors (src/http/failures/error-formats.ts, and that of OTLP). */
export type ErrorFormatName = 'Error' | 'Problem' | 'VaultError' | 'Page' | 'Status';

/** A part of the document: the operations of one tag. */
export interface ApiPart {
  readonly tag: string;
  readonly description: string;
  readonly errorFormat: ErrorFormatName;
  readonly access: readonly Access[];
  /** Statuses of errors that each operation can have, beside those of all (responses.ts). */
  readonly errors?: readonly number[];
  /** Parameters in paths, by name. */
  readonly pathParameters?: Readonly<Record<string, PathParameter>>;
  /** Named schemas. Names are unique in the document. */
  readonly schemas?: Readonly<Record<string, Schema>>;
  /** By method and path, as in `GET /v1.0/{tenantId}`. */
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Returns a body of JSON. */
export function json(schema: Schema): Content {
  return { 'application/json': schema };
}

/** A page in an example. */
export const HTML_PAGE = '<!doctype html>…';

/** Makes the function that returns a parameter of this kind, such as a query parameter. */
function parameterIn(place: Parameter['in']) {
  return (name: string, schema: Schema, description?: string): Parameter => ({
    in: place,
    name,
    schema,
    ...(description === undefined ? {} : { description }),
  });
}

export const query = parameterIn('query');
export const header = parameterIn('header');

/** Returns the answer of an example that is an error of the policy API, of operators or of the identity. */
export function refusal(status: number, message: string): Pick<Example, 'status' | 'answer'> {
  return { status, answer: { error: { message, code: status, title: STATUS_CODES[status] } } };
}

/** Divides the key of an operation into its method and its path. */
export function methodAndPath(key: string): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = key.split(' ');
  return { method, path };
}
