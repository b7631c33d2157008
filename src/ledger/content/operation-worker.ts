import { serveOrders } from '../../untrusted/body-thread.js';
import { operationOf } from './operations.js';

// The worker thread for large operations.

serveOrders(operationOf);
