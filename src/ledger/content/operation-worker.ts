import { serveOrders } from '../../untrusted/body-thread.js';
import { operationOf } from './operations.js';

// The thread of large operations.

serveOrders(operationOf);
