import { workerData } from 'node:worker_threads';
import { answering } from '../http/body/body-worker.js';
import { parseJson } from '../http/body/json-text.js';
import { type PolicyOrder, policyReaders, type ShapeSettings } from './http/bodies.js';

// A thread of large bodies of the policy API.

const readers = policyReaders(workerData as ShapeSettings);

answering(({ shape, bytes }: PolicyOrder) => readers[shape](parseJson(bytes)));
