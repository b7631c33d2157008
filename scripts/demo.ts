import { StartError } from '../src/errors.js';
import { Refused } from './demo/http-client.js';
import { runDemo } from './demo/run.js';

try {
  await runDemo();
} catch (error) {
  const isPlain = error instanceof StartError || error instanceof Refused;
  console.error(isPlain ? error.message : error);
  process.exitCode = 1;
}
