/** Process with a chain's node, to be killed. Prints the node's url. Its argument is the chain's folder. */
import { writeSync } from 'node:fs';
import { startChainNode } from '../../../src/embedded/chain/node.js';

const node = await startChainNode({ folder: process.argv[2]!, log: () => undefined });
writeSync(1, `${JSON.stringify({ url: node.url, pid: node.pid() })}\n`);
process.stdin.resume();
