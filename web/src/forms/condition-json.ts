/** Conditions as JSON that people read and type. */
import { messageOf } from '../api.js';

/** Longest object or list in one line, characters with its indentation. */
const LINE = 64;

/** Returns why a text is not JSON; undefined if it is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Returns a JSON value as text in lines. An object or a list that fits into one line is in one. */
export function jsonText(value: unknown, indent = ''): string {
  const line = oneLine(value);
  if (indent.length + line.length <= LINE || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((member: unknown) => inner + jsonText(member, inner))
    : Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${jsonText(one, inner)}`);
  const [start, end] = Array.isArray(value) ? '[]' : '{}';
  return `${start}\n${lines.join(',\n')}\n${indent}${end}`;
}

/** Returns JSON in one line, with blanks after colons and commas. */
function oneLine(value: unknown): string {
  // Strings have their line breaks as escapes: each of these is one of the indentation.
  const lines = JSON.stringify(value, null, 1);
  return lines
    .replaceAll(/([[{])\n */g, '$1')
    .replaceAll(/\n *(?=[\]}])/g, '')
    .replaceAll(/\n */g, ' ');
}
