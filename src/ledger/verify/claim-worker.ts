import { answering } from '../../http/body/body-worker.js';
import { claimIn } from './claims.js';

// The thread of large claims.

answering(claimIn);
