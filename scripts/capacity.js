/**
 * Prints what a number of servers needs, as the table of docs/scaling.md. Each figure of `measured` is in that document, with how
 * it was measured. Options replace them by those of another machine: `node scripts/capacity.js --writes 20000 --interval 10`.
 */
import { parseArgs } from 'node:util';

/** Rows of the table. */
const SERVERS = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/** What was measured. Times are µs of one core, sizes are bytes. */
const measured = {
  /** CPU time of a node for a request with one fact, and for each further fact of the request. */
  request: 230,
  fact: 12,
  /** Durable commits a second of one shard. */
  writes: 5_000,
  /** On the disk of each copy, for a server with its indexes. */
  document: 2_045,
  /** On the disk of each copy, for the trend of four metrics after a day. */
  trend: 10_000,
  /** Written to the disk of each copy for a commit. */
  written: 9_000,
  /** Between client and node for a request with one fact, and for each further fact. */
  clientRequest: 1_200,
  clientFact: 430,
  /** Between node and database for a commit, both ways. */
  database: 2_800,
};

/** Choices: seconds between two facts of a server, facts in a request, copies of each shard, and the largest share that is used. */
const chosen = { interval: 5, perRequest: 1, copies: 3, use: 0.6 };

/** Returns what a number of servers needs. */
function needs(servers, figures) {
  const { interval, perRequest, copies, use } = figures;
  const facts = servers / interval;
  const requests = facts / perRequest;
  const cpu = (requests * figures.request + (facts - requests) * figures.fact) / 1e6;
  const shards = Math.ceil(requests / (figures.writes * use));
  return {
    servers,
    facts,
    // A second one goes on while the first is restarted.
    nodes: Math.max(2, Math.ceil(cpu / use)),
    shards,
    diskGb: (servers * (figures.document + figures.trend) * copies) / 1e9,
    writtenMb: (requests * figures.written) / shards / 1e6,
    clientMbit: ((requests * figures.clientRequest + (facts - requests) * figures.clientFact) * 8) / 1e6,
    databaseMbit: (requests * figures.database * copies * 8) / 1e6,
  };
}

const HEADINGS = [
  'servers',
  'facts/s',
  'nodes',
  'shards',
  'disk, all copies, GB',
  'written for each copy of a shard, MB/s',
  'clients, Mbit/s',
  'database, Mbit/s',
];

const round = (number) =>
  (number < 10 ? Math.round(number * 10) / 10 : Math.round(number)).toLocaleString('en-US');

/** Returns the table, as Markdown. */
function table(figures) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const rows = SERVERS.map((servers) => row(Object.values(needs(servers, figures)).map(round)));
  return [row(HEADINGS), row(HEADINGS.map(() => '---')), ...rows].join('\n');
}

/** Returns the figures and choices, with those of the command line: `--per-request 12` is `perRequest`. */
function given(args) {
  const all = { ...measured, ...chosen };
  const optionOf = (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = new Map(Object.keys(all).map((name) => [optionOf(name), name]));
  const options = Object.fromEntries(Array.from(names.keys(), (option) => [option, { type: 'string' }]));
  const { values } = parseArgs({ args, options });
  for (const [option, text] of Object.entries(values)) {
    const number = Number(text);
    if (!(number > 0)) throw new Error(`--${option} is ${String(text)}: a number above 0 is allowed`);
    all[names.get(option)] = number;
  }
  return all;
}

console.log(table(given(process.argv.slice(2))));
