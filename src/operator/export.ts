import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { DELIVERY } from '../delivery/delivery.js';
import { ENDPOINT } from '../delivery/endpoint/endpoint-machine.js';
import { onlyOf } from '../http/query.js';
import { READ, type Route, route } from '../http/router.js';
import { ACCOUNT, ENTITY, ENTITY_INDEX, KEY, TRANSACTION } from '../ledger/addresses.js';
import { SERVER } from '../policy/server/server-kind.js';
import { TENANT } from '../policy/tenant/tenant-machine.js';
import { addressOf, type Listed, type Store } from '../store/port.js';
import { createCut } from './export-cut.js';
import { NODE } from './nodes/node-list.js';
import { isoOf } from '../system/iso.js';

/** The form of the lines. A release that changes it raises the number. */
export const EXPORT_FORMAT = 1;

/**
 * Kinds whose actors hand work over to those of later ones, and then forget it. A shared store is read in this order, while it
 * changes: what moves meanwhile is read where it was, or in both places, where its id says that it is the same.
 */
const HANDING_OVER = [
  TENANT,
  SERVER,
  KEY,
  ACCOUNT,
  TRANSACTION,
  ENTITY,
  ENTITY_INDEX,
  ENDPOINT,
  DELIVERY,
] as const;

export interface ExportOptions {
  readonly store: Pick<Store, 'readAll'>;
  readonly version: string;
  /** Resolves with what tells whether the settings are the same elsewhere, by their names. */
  readonly fingerprints: () => Promise<Readonly<Record<string, string>>>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/**
 * Yields everything durable as lines of JSON: a header, one document a line, and the number of documents. Nodes are left out: they
 * are processes on this store. After each page it pauses
 * for as long as the page took, so that requests always have half of the time of the event loop.
 */
export async function* exportedLines({
  store,
  version,
  fingerprints,
  now,
}: ExportOptions): AsyncGenerator<string, void> {
  const settings = await fingerprints();
  const reading = await store.readAll(HANDING_OVER);
  try {
    const { reserved, keptTime } = reading;
    const time = isoOf(now());
    yield line({ format: EXPORT_FORMAT, version, time, reserved, keptTime, settings });
    const cut = reading.isOneMoment ? (document: Listed) => document : createCut();
    let end = 0;
    let begun = performance.now();
    for await (const all of reading.pages()) {
      const page = all
        .filter(({ id }) => addressOf(id).kind !== NODE)
        .map(cut)
        .filter((document) => document !== undefined);
      const text = page.map(lineOf).join('');
      end += page.length;
      await setTimeout(performance.now() - begun);
      yield text;
      begun = performance.now();
    }
    yield line({ end });
  } finally {
    reading.close();
  }
}

/** Returns a document with all that a store needs to hold it again. */
function lineOf({ id, revision, version, state, wakeAt, queue, place, frequent, rare }: Listed): string {
  return line({ id, revision, version, state, wakeAt, queue, place, frequent, rare });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Route of the export, guarded by the operators' route group. */
export function exportRoute(options: ExportOptions): Route {
  return route(READ, '/operator/export', (ctx) => {
    onlyOf(ctx, []);
    ctx.set('X-Accel-Buffering', 'no');
    ctx.type = 'application/x-ndjson';
    ctx.status = 200;
    if (ctx.method === 'HEAD') return;
    const body = Readable.from(exportedLines(options), { objectMode: false });
    // Ends the reading also if the client is gone before the answer begins.
    ctx.res.once('close', () => body.destroy());
    ctx.body = body;
  });
}
