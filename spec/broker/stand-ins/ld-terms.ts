/** Terms of JSON-LD contexts by their address: name → IRI. */
export type Contexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Names and IRIs of one context. */
export interface Terms {
  /** Returns the IRI of a type or an attribute. */
  expanded(name: string): string;
  /** Returns the name of a type or an attribute, or its IRI if the context has no name for it. */
  compacted(iri: string): string;
  /** Returns a Property's value as it is stored: members that the context knows become IRIs. */
  expandedValue(value: unknown): unknown;
  /** Returns a stored value as it is shown: a list with one element becomes the element. */
  compactedValue(value: unknown): unknown;
}

/** IRIs of the names that no context knows begin with this. */
const DEFAULT = 'https://uri.etsi.org/ngsi-ld/default-context/';

/** Returns the address of the context in a `Link` header. */
export function addressIn(link: string | string[] | undefined): string | undefined {
  return /^<([^>]+)>/.exec(String(link ?? ''))?.[1];
}

/** Returns the terms of the context that a `Link` header names. */
export function termsOf(link: string | string[] | undefined, contexts: Contexts): Terms {
  return termsAt(addressIn(link), contexts);
}

/** Returns the terms of the context at an address, by default those of the core context alone. */
export function termsAt(address: string | undefined, contexts: Contexts): Terms {
  const known = new Map(Object.entries(contexts[address ?? ''] ?? {}));
  const names = new Map([...known].map(([name, iri]) => [iri, name]));
  const nameOf = (iri: string): string => names.get(iri) ?? iri;
  return {
    expanded: (name) => known.get(name) ?? (name.includes(':') ? name : DEFAULT + name),
    compacted: (iri) => (iri.startsWith(DEFAULT) ? iri.slice(DEFAULT.length) : nameOf(iri)),
    expandedValue: (value) => mapped(value, (name) => known.get(name) ?? name, false),
    compactedValue: (value) => mapped(value, nameOf, true),
  };
}

function mapped(value: unknown, nameOf: (name: string) => string, unlisted: boolean): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one) => mapped(one, nameOf, unlisted));
    return unlisted && list.length === 1 ? list[0] : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [nameOf(name), mapped(one, nameOf, unlisted)]),
  );
}
