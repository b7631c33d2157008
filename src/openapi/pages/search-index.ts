import type { DocumentPage } from './documents.js';
import type { ReferencePage } from './reference.js';

/** A section that the search finds: `[title, page, address, text]`. */
export type SearchEntry = readonly [title: string, page: string, address: string, text: string];

/** Pages whose sections are found by their titles alone: few readers look for more of them. */
const TITLES_ALONE = /^(?:adr\/|changelog$)/;

/** Returns what the search of the pages finds, the reference first. */
export function searchIndex(
  reference: readonly ReferencePage[],
  documents: readonly DocumentPage[],
): readonly SearchEntry[] {
  return [
    ...reference.flatMap(({ name, title: page, sections }) =>
      sections.map(({ id, title, text }): SearchEntry => [title, page, `/docs/${name}#${id}`, text]),
    ),
    ...documents.flatMap(({ name, title: page, sections }) =>
      sections.map(({ id, title, depth, text }): SearchEntry => {
        const address = depth === 1 ? `/docs/${name}` : `/docs/${name}#${id}`;
        return [title, page, address, TITLES_ALONE.test(name) ? '' : text];
      }),
    ),
  ];
}
