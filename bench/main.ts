import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureBuilds } from './builds.js';
import { measureBurst } from './burst.js';
import { measureConsoles } from './consoles.js';
import { measureFacts } from './facts.js';
import { measureAudit, measureTraces } from './features.js';
import { measureFleet } from './fleet.js';
import { measureLedger } from './ledger.js';
import { measureMemory } from './memory.js';
import { measureMillion } from './million.js';
import { measureMongo } from './mongo.js';
import { measureNodes } from './nodes.js';
import { measureOrder } from './order.js';
import { measureProofs } from './proofs.js';
import { measureRuleOptions } from './rule-options.js';
import { measureSources } from './sources.js';

// Every figure is a ratio to a baseline, measured in the same run, alternating.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    json: { type: 'string' },
    facts: { type: 'boolean', default: false },
    ledger: { type: 'boolean', default: false },
    proofs: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    consoles: { type: 'boolean', default: false },
    'rule-options': { type: 'boolean', default: false },
    order: { type: 'boolean', default: false },
    burst: { type: 'boolean', default: false },
    fleet: { type: 'boolean', default: false },
    sources: { type: 'boolean', default: false },
    traces: { type: 'boolean', default: false },
    audit: { type: 'boolean', default: false },
    million: { type: 'boolean', default: false },
    seeds: { type: 'string', default: join(tmpdir(), 'mirzam-seeds') },
    nodes: { type: 'boolean', default: false },
    'relay-ms': { type: 'string', default: '0' },
    against: { type: 'string' },
    mongodb: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const allConnections = values.connections.split(',').map(Number);
const connections = allConnections[0]!;
const {
  facts,
  ledger,
  proofs,
  memory,
  consoles,
  order,
  burst,
  fleet,
  sources,
  traces,
  audit,
  million,
  seeds,
  against,
  mongodb,
} = values;
const all = !(
  facts ||
  ledger ||
  proofs ||
  memory ||
  consoles ||
  values['rule-options'] ||
  order ||
  burst ||
  fleet ||
  sources ||
  traces ||
  audit ||
  million ||
  against ||
  mongodb
);

const figures: Record<string, object> = {};
// With another build, `--facts` and `--ledger` choose what is measured of both.
const alone = against === undefined;
if (all || (alone && facts)) figures['facts'] = await measureFacts({ rounds, seconds, connections });
if (all || (alone && ledger))
  figures['ledger'] = await measureLedger({ rounds: Math.ceil(rounds / 3), seconds });
if (proofs) figures['proofs'] = await measureProofs({ rounds, seconds, connections });
if (consoles) figures['consoles'] = await measureConsoles({ rounds, seconds, connections });
if (values['rule-options'])
  figures['rule options'] = await measureRuleOptions({ rounds, seconds, connections });
if (against !== undefined && !burst) {
  const chosen = [...(facts ? (['P1'] as const) : []), ...(ledger ? (['L1'] as const) : [])];
  const operations = chosen.length === 0 ? (['P1', 'L1'] as const) : chosen;
  figures['against'] = await measureBuilds(against, {
    rounds,
    seconds,
    connections: allConnections,
    operations,
  });
}
if (burst) figures['burst'] = await measureBurst({ rounds, mongodb, against });
else if (order) figures['order'] = await measureOrder({ rounds, mongodb });
else if (fleet) figures['fleet'] = await measureFleet(rounds, mongodb);
else if (values.nodes && mongodb !== undefined) {
  const relayMs = Number(values['relay-ms']);
  figures['nodes'] = await measureNodes({ url: mongodb, rounds, seconds, connections, relayMs });
} else if (mongodb !== undefined) {
  figures['mongodb'] = await measureMongo(mongodb, { rounds, seconds, connections });
}
if (sources) figures['sources'] = await measureSources({ rounds, seconds });
if (traces) figures['traces'] = await measureTraces({ rounds, seconds, connections });
if (audit) figures['audit'] = await measureAudit({ rounds, seconds, connections });
if (million) figures['million'] = await measureMillion({ rounds, seconds, connections, seeds });
if (memory) await measureMemory(rounds);
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(figures, undefined, 2));
process.exit();
