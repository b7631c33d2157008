import { workerData } from 'node:worker_threads';
import { serveOrders } from '../../untrusted/body-thread.js';
import type { BacktestSettings } from './backtest-body.js';
import { backtestWork } from './backtests.js';

// The thread of backtests.

serveOrders(backtestWork(workerData as BacktestSettings));
