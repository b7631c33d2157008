import type { Collection } from 'mongodb';
import { refuseOtherFormat, STORE_FORMAT, UNNUMBERED } from '../format.js';
import type { ActorDocument } from './document.js';

/** The document with the store's format, in the collection of the actors so that backups have both. No kind is empty. */
const ID = '/numbers/format';

interface FormatDocument {
  readonly _id: string;
  readonly format: number;
}

/** Throws a `StartError` for a database of another format. Writes the format into an empty one. */
export async function checkFormat(actors: Collection<ActorDocument>): Promise<void> {
  const formats = actors as unknown as Collection<FormatDocument>;
  // The format is read last: of nodes that start together, the others may write it, and then actors, meanwhile.
  if ((await actors.findOne({}, { projection: { _id: 1 } })) === null)
    await formats.updateOne({ _id: ID }, { $setOnInsert: { format: STORE_FORMAT.mongo } }, { upsert: true });
  const found = await formats.findOne({ _id: ID });
  const where = { store: `The database ${actors.dbName}`, setting: 'MONGODB_URL' };
  refuseOtherFormat(found?.format ?? UNNUMBERED, [STORE_FORMAT.mongo], where);
}

/** Resolves with true if the collection has the present format. */
export async function isFormatIn(actors: Collection<ActorDocument>): Promise<boolean> {
  const found = await (actors as unknown as Collection<FormatDocument>).findOne({ _id: ID });
  return found?.format === STORE_FORMAT.mongo;
}
