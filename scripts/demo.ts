import { runDemo } from './demo/run.js';

await runDemo();
