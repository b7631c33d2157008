import { workerData } from 'node:worker_threads';
import { serveOrders } from '../../untrusted/body-thread.js';
import { parseJson } from '../../untrusted/json-text.js';
import { packedBody } from './facts-by-entity-body.js';
import { type PolicyOrder, policyReaders, type BodySettings } from './bodies.js';

// The thread that checks large bodies of the policy API.

const readers = policyReaders(workerData as BodySettings);

serveOrders(({ name, bytes }: PolicyOrder) => {
  const json = parseJson(bytes);
  return name === 'factsByEntity' ? packedBody(readers[name](json)) : readers[name](json);
});
