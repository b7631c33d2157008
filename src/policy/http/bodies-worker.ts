import { workerData } from 'node:worker_threads';
import { answering } from '../../http/body/body-worker.js';
import { parseJson } from '../../http/body/json-text.js';
import { type PolicyOrder, policyReaders, type ShapeSettings } from './bodies.js';

// The thread that checks large bodies of the policy API.

const readers = policyReaders(workerData as ShapeSettings);

answering(({ shape, bytes }: PolicyOrder) => readers[shape](parseJson(bytes)));
