import { workerData } from 'node:worker_threads';
import { serveOrders } from '../../untrusted/body-thread.js';
import { parseJson } from '../../untrusted/json-text.js';
import { columnsOf } from '../facts/fact-columns.js';
import { packedBody } from './facts-by-entity-body.js';
import { type PolicyOrder, policyReaders, type BodySettings } from './bodies.js';

// The thread that checks large bodies of the policy API.

const readers = policyReaders(workerData as BodySettings);

serveOrders(({ name, bytes }: PolicyOrder) => {
  const json = parseJson(bytes);
  if (name === 'facts') return columnsOf([readers.facts(json)]);
  return name === 'factsByEntity' ? packedBody(readers.factsByEntity(json)) : readers[name](json);
});
