import { serveOrders } from '../../untrusted/body-thread.js';
import { claimIn } from './claim.js';

// The worker thread for large claims.

serveOrders(claimIn);
