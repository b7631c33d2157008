import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Operation } from '../../spec/faults/stage/books.js';
import { buildGoProgram } from '../../spec/faults/stage/go-program.js';

/** The verdict of the checker on one server. */
interface Verdict {
  readonly server: string;
  readonly operations: number;
  readonly result: 'Ok' | 'Illegal' | 'Unknown';
  readonly longest?: number;
  readonly stuck?: string;
  readonly page?: string;
}

/** Compiles the checker, which uses the module porcupine. As `buildGoProgram`. */
export function buildChecker(): string | undefined {
  return buildGoProgram('scripts/faults/linearizability');
}

/**
 * Checks the histories of servers. Returns the number of operations, and a line for each history that has no order in which one
 * server could have answered so. `folder` gets a page that draws it.
 */
export async function checkHistories(
  checker: string,
  histories: ReadonlyMap<string, readonly Operation[]>,
  folder: string,
): Promise<{ readonly operations: number; readonly failures: readonly string[] }> {
  const micros = (ms: number): number => Math.round(ms * 1000);
  const servers = [...histories].map(([server, operations]) => ({
    server,
    operations: operations.map(({ kind, call, return: end, number, name }) => ({
      kind,
      call: micros(call),
      ...(end !== undefined && { return: micros(end) }),
      number,
      name,
    })),
  }));
  const child = spawn(checker, [folder], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  child.stdin.on('error', () => undefined).end(JSON.stringify({ servers }));
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exited) as [number | null];
  if (code !== 0) throw new Error(`the checker of linearizability ended with ${code}: ${complaint}`);
  const verdicts = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Verdict);
  return {
    operations: verdicts.reduce((sum, { operations }) => sum + operations, 0),
    failures: verdicts.filter(({ result }) => result !== 'Ok').map(lineOf),
  };
}

function lineOf({ server, operations, result, longest, stuck, page }: Verdict): string {
  if (result === 'Unknown')
    return `${server}: the checker did not decide its ${operations} operations in time`;
  return (
    `${server} is not linearizable: ${longest} of ${operations} operations have an order; ` +
    `none has a place for ${stuck}; see ${page}`
  );
}
