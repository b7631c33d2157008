import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureConsoles } from './consoles.js';
import { measureFacts } from './facts.js';
import { measureLedger } from './ledger.js';
import { measureMemory } from './memory.js';

// Every figure is a ratio to a baseline, measured in the same run, alternating.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    json: { type: 'string' },
    facts: { type: 'boolean', default: false },
    ledger: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    consoles: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const all = !(values.facts || values.ledger || values.memory || values.consoles);

const figures: Record<string, object> = {};
if (all || values.facts) figures['facts'] = await measureFacts({ rounds, seconds, connections });
if (all || values.ledger) figures['ledger'] = await measureLedger({ rounds: Math.ceil(rounds / 3), seconds });
if (values.consoles) figures['consoles'] = await measureConsoles({ rounds, seconds, connections });
if (values.memory) await measureMemory(rounds);
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(figures, undefined, 2));
process.exit();
