import { StartError } from '../src/errors.js';
import { runDemo } from './demo/run.js';

try {
  await runDemo();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
}
