import type { Collection, Filter } from 'mongodb';
import { idRange } from './id-range.js';
import { listed } from './mongo-document.js';
import type { ActorDocument } from './mongo-document.js';
import { PAGE_CHARACTERS } from './port.js';
import type { Listed, ListPage, ListQuery, Outline } from './port.js';

const NOTHING = { items: [], more: false };

/** A page of documents. Takes them from the server as they come, which is 16 MB at a time at most. */
export async function list(actors: Collection<ActorDocument>, query: ListQuery): Promise<ListPage<Listed>> {
  const filter = filterOf(query);
  if (filter === undefined) return NOTHING;
  const items: Listed[] = [];
  let characters = 0;
  for await (const document of actors.find(filter, { sort: { _id: 1 }, limit: query.limit })) {
    if (characters > PAGE_CHARACTERS) return { items, more: true };
    items.push(listed(document));
    characters += document.hot.length + document.cold.length;
  }
  return { items, more: items.length === query.limit };
}

/** As `list`; the texts stay with the server. */
export async function outline(
  actors: Collection<ActorDocument>,
  query: ListQuery,
): Promise<ListPage<Outline>> {
  const filter = filterOf(query);
  if (filter === undefined) return NOTHING;
  const found = actors
    .find(filter, { sort: { _id: 1 }, limit: query.limit })
    .project<Pick<ActorDocument, '_id' | 'rev' | 'state' | 'wakeAt'>>({ rev: 1, state: 1, wakeAt: 1 });
  const items = await found
    .map(({ _id: id, rev, state, wakeAt }): Outline => ({ id, revision: rev, state, wakeAt }))
    .toArray();
  return { items, more: items.length === query.limit };
}

function filterOf(query: ListQuery): Filter<ActorDocument> | undefined {
  const range = idRange(query);
  if (range === undefined) return undefined;
  const inRange: Filter<ActorDocument> = { _id: { $gte: range.start, $lt: range.end } };
  return query.state === undefined ? inRange : { ...inRange, kind: query.kind, state: query.state };
}
