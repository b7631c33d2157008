import { rmSync } from 'node:fs';
import { buildChecker } from './faults/linearizability.js';
import { commandOf, planRound, readOptions, Unusable, USAGE } from './faults/options.js';
import { plant } from './faults/planted.js';
import { type Figures, folderOf, runRound } from './faults/round.js';

const say = (line: string): void => console.log(line);
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** Runs rounds. Returns the exit code: 0 if no promise was broken, else 1. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    say(USAGE);
    return 0;
  }
  const newSeed = 1 + Math.floor(Math.random() * 1_000_000);
  const options = readOptions(args, process.env['FAULTS'] === 'full', newSeed);
  const checker = buildChecker();
  if (checker === undefined) {
    throw new Unusable(
      'The checker of linearizability needs Go: install it from https://go.dev or as golang-go',
    );
  }
  const { planted } = options;
  const copy = planted && plant(planted);
  const total: Figures = {
    facts: 0,
    operations: 0,
    messages: 0,
    lateRepeats: 0,
    transactions: 0,
    faults: new Map(),
  };
  const begun = performance.now();
  const end = begun + options.minutes * 60_000;
  let failed = 0;
  let round = 0;
  try {
    for (; round < options.rounds && performance.now() < end; round += 1) {
      const plan = planRound(options, options.seed + round);
      const { seed, store, nodes, routing, faults } = plan;
      const at = performance.now();
      say(`seed ${seed}: ${nodes} nodes, ${store}, ${routing} routing; ${faults.join(', ')}`);
      const { failures, figures } = await runRound(plan, {
        main: copy?.main,
        checker,
        folder: folderOf(plan),
      });
      say(`  ${seconds(at)}: ${textOf(figures)}`);
      add(total, figures);
      if (failures.length === 0) continue;
      failed += 1;
      for (const failure of failures) say(`  FAILED ${failure.slice(0, 2_000)}`);
      say(`  Repeat it: ${commandOf(plan, planted)}\n  Logs: ${folderOf(plan)}`);
    }
  } finally {
    if (copy !== undefined) rmSync(copy.folder, { recursive: true, force: true });
  }
  say(`${round} rounds in ${seconds(begun)}, ${failed} failed: ${textOf(total)}`);
  return failed === 0 ? 0 : 1;
}

function textOf({ facts, operations, messages, lateRepeats, transactions, faults }: Figures): string {
  const injected = [...faults].map(([name, count]) => `${count} ${name}`).join(', ');
  return (
    `${facts} facts, ${operations} operations in histories, ${messages} messages (${lateRepeats} repeated late), ${transactions} transactions; ` +
    `faults: ${injected === '' ? 'none' : injected}`
  );
}

function add(
  total: Figures,
  { facts, operations, messages, lateRepeats, transactions, faults }: Figures,
): void {
  total.facts += facts;
  total.operations += operations;
  total.messages += messages;
  total.lateRepeats += lateRepeats;
  total.transactions += transactions;
  for (const [name, count] of faults) total.faults.set(name, (total.faults.get(name) ?? 0) + count);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Unusable ? error.message : error);
  process.exitCode = 2;
}
