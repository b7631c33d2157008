/** A process that has a chain's node and prints where: to be killed. Its argument is the chain's folder. */
import { writeSync } from 'node:fs';
import { startChainNode } from '../../../src/embedded/chain/node.js';

const node = await startChainNode({ folder: process.argv[2]!, log: () => undefined });
writeSync(1, `${JSON.stringify({ url: node.url, pid: node.pid() })}\n`);
process.stdin.resume();
