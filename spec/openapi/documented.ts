import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiResponse,
} from '../../src/openapi/open-api.js';
import type { Schema } from '../../src/openapi/schema.js';

/** An operation with its place in the document. */
export interface Documented {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** An OpenAPI document with validators of its schemas. */
export interface DocumentReader {
  /** In the order of the tags. */
  readonly operations: readonly Documented[];
  /** Returns the schema that a reference names, or the schema itself. */
  resolved(schema: Schema): Schema;
  /** Returns the answer of an operation to a status, or undefined. */
  answer(operation: OpenApiOperation, status: number): OpenApiResponse | undefined;
  /** Returns why a value does not fit a schema of the document; empty if it fits. */
  faults(schema: Schema, value: unknown): string;
}

/** Reads a document. */
export function documentReader(document: OpenApiDocument): DocumentReader {
  const ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, 'document');
  const validators = new Map<string, ValidateFunction>();
  const validator = (schema: Schema): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const known = validators.get(text) ?? ajv.compile(JSON.parse(text) as object);
    validators.set(text, known);
    return known;
  };
  const at = (reference: string): unknown =>
    reference
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document);
  const tagOf = ({ operation }: Documented): number =>
    document.tags.findIndex(({ name }) => name === operation.tags[0]);
  return {
    operations: Object.entries(document.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path,
          operation,
        })),
      )
      .toSorted((a, b) => tagOf(a) - tagOf(b)),
    resolved: (schema) => {
      const reference = schema['$ref'];
      return typeof reference === 'string' ? (at(reference) as Schema) : schema;
    },
    answer(operation, status) {
      const found = operation.responses[String(status)];
      return found?.$ref === undefined ? found : (at(found.$ref) as OpenApiResponse);
    },
    faults(schema, value) {
      const validate = validator(schema);
      return validate(value) ? '' : ajv.errorsText(validate.errors);
    },
  };
}

/** Returns the schema of a content for a Content-Type. */
export function schemaFor(content: OpenApiContent, contentType: string): Schema | undefined {
  return content[contentType.split(';')[0]!.trim()]?.schema;
}
