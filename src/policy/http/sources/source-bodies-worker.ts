import { workerData } from 'node:worker_threads';
import { serveOrders } from '../../../untrusted/body-thread.js';
import type { FactsSettings } from '../../facts/measuring-attributes.js';
import type { SourceOrder } from './source-bodies.js';
import { sourceReaders } from './source-readers.js';

// The thread that reads large bodies of sources.

const readers = sourceReaders(workerData as FactsSettings);

serveOrders(({ name, bytes }: SourceOrder) => readers[name](bytes));
