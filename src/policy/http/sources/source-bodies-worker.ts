import { workerData } from 'node:worker_threads';
import { serveOrders } from '../../../untrusted/body-thread.js';
import type { FactsSettings } from '../../facts/measuring-attributes.js';
import { packedParts } from '../../sources/fact-parts.js';
import type { PackedBody, SourceOrder } from './source-bodies.js';
import { sourceReaders } from './source-readers.js';

// The thread that reads large bodies of sources.

const readers = sourceReaders(workerData as FactsSettings);

serveOrders(({ name, bytes }: SourceOrder): PackedBody => {
  const body = readers[name](bytes);
  return { ...body, facts: packedParts(body.facts) };
});
