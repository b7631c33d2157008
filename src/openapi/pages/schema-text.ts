import type { Schema } from '../schema.js';
import { type Html, html, type Shown } from '../../untrusted/html.js';

const REFERENCE = '#/components/schemas/';

/** Returns a schema in short notation: members by name, `?` after those that may be absent, links to named schemas. */
export function schemaText(schema: Schema, indent = ''): Html {
  const { $ref: reference, enum: words, const: only } = schema;
  if (typeof reference === 'string') {
    const name = reference.slice(REFERENCE.length);
    return html`<a href="/docs/api/schemas#schema-${name}">${name}</a>`;
  }
  if (only !== undefined) return html`${JSON.stringify(only)}`;
  if (Array.isArray(words)) return html`${words.map((word) => JSON.stringify(word)).join(' | ')}`;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return joined(alternatives as readonly Schema[], ' | ', indent);
  if (Array.isArray(schema['allOf'])) return joined(schema['allOf'] as readonly Schema[], ' & ', indent);
  const type = schema['type'] as string | readonly string[] | undefined;
  if (type === 'array')
    return html`array of ${schemaText((schema['items'] ?? {}) as Schema, indent)}${limits(schema)}`;
  if (type === 'object') return objectText(schema, indent);
  return html`${[type ?? 'any'].flat().join(' | ')}${limits(schema)}`;
}

function joined(schemas: readonly Schema[], by: string, indent: string): Html {
  return html`${schemas.map((one, i): Shown => [i === 0 ? '' : by, schemaText(one, indent)])}`;
}

function objectText(schema: Schema, indent: string): Html {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema | true>>);
  const others = schema['additionalProperties'];
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const inner = `${indent}  `;
  if (properties.length === 0)
    return typeof others === 'object' ? html`{ …: ${schemaText(others as Schema, inner)} }` : html`object`;
  const lines = properties.map(([name, given]): Shown => {
    const member = given === true ? {} : given;
    const why = typeof member['description'] === 'string' ? `  // ${member['description']}` : '';
    const optional = required.has(name) ? '' : '?';
    const comment = why === '' ? undefined : html`<span class="quiet">${why}</span>`;
    return [inner, name, optional, ': ', schemaText(member, inner), comment, '\n'];
  });
  return html`${['{\n', lines, others === false ? '' : `${inner}…\n`, indent, '}']}`;
}

const NAMES: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'characters at least',
  maxLength: 'characters at most',
  minItems: 'items at least',
  maxItems: 'items at most',
  pattern: 'matches',
  format: 'format',
};

/** Returns the limits of a value in brackets. */
function limits(schema: Schema): string {
  const given = Object.entries(NAMES)
    .filter(([name]) => schema[name] !== undefined)
    .map(([name, phrase]) => `${phrase} ${String(schema[name])}`);
  return given.length === 0 ? '' : ` (${given.join(', ')})`;
}
