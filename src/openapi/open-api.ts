import type { Parameter } from './operation.js';
import type { Schema } from './schema.js';

/** An OpenAPI document (3.1). */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<
    Record<'schemas' | 'responses' | 'securitySchemes', Readonly<Record<string, object>>>
  >;
}

/** An operation of an OpenAPI document, as far as its readers in this repository use it. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter & WithExamples)[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export type OpenApiExamples = Readonly<Record<string, { readonly value: unknown }>>;
/** What has examples, by name. */
export interface WithExamples {
  readonly examples?: OpenApiExamples;
}
export type OpenApiContent = Readonly<Record<string, WithExamples & { readonly schema: Schema }>>;
export interface OpenApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: OpenApiContent;
}
