/** A text that is HTML already. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** A value of a template: texts are escaped, HTML is not, lists are joined, undefined is nothing. */
export type Shown = Html | string | number | undefined | readonly Shown[];

/** Makes HTML of a template. */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return new Html(parts.reduce((text, part, i) => text + textOf(values[i - 1]) + part));
}

function textOf(value: Shown): string {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return (value as readonly Shown[]).map(textOf).join('');
  return value === undefined ? '' : escaped(String(value));
}

/** Escapes a text for HTML, and for XML without control characters. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Returns a text whose parts between grave accents are code. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
