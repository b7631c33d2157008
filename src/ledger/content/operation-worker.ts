import { answering } from '../../http/body/body-worker.js';
import { operationOf } from './operations.js';

// The thread of large operations.

answering(operationOf);
