import { serveOrders } from '../../untrusted/body-thread.js';
import { claimIn } from './claims.js';

// The thread of large claims.

serveOrders(claimIn);
