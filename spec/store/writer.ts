import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Store } from '../../src/store/port.js';

/** A process that counts in documents of the kind `counter`. */
export interface Writer {
  /** Highest revision acknowledged, by id. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Every line it printed. */
  readonly lines: readonly string[];
  /** Resolves once it has printed so many more lines. */
  more(lines: number): Promise<void>;
  /** SIGKILL; resolves once it is gone and all it printed is read. */
  kill(): Promise<void>;
  /** Ends it; resolves with its exit code. */
  end(): Promise<number | null>;
}

const CHILD = fileURLToPath(new URL('writer-child.js', import.meta.url));

/** Starts a process that writes to a store: `{ folder }` or `{ url }`. */
export function startWriter(place: { readonly folder: string } | { readonly url: string }): Writer {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(place)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const acknowledged = new Map<string, number>();
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    for (const line of parts) {
      const [id, revision] = line.split(' ') as [string, string];
      lines.push(line);
      if (revision !== 'lost') acknowledged.set(id, Math.max(Number(revision), acknowledged.get(id) ?? 0));
    }
    child.emit('lines');
  });
  return {
    acknowledged,
    lines,
    async more(wanted) {
      const goal = lines.length + wanted;
      const gone = closed.then(() => Promise.reject(new Error('the writer ended by itself')));
      gone.catch(() => undefined);
      while (lines.length < goal) await Promise.race([once(child, 'lines'), gone]);
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    async end() {
      child.stdin.end();
      return (await closed)[0];
    },
  };
}

/**
 * Checks that a store holds every acknowledged commit of some writers, each once: a count differs from its revision if a
 * commit was applied twice, or on another revision than it was decided on.
 */
export async function expectAllFound(store: Store, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const { items: stored } = await store.list({ kind: 'counter', limit: 1_000 });
  const revisions = new Map(stored.map((document) => [document.id, document.revision]));
  const missing = [...acknowledged].filter(([id, revision]) => (revisions.get(id) ?? 0) < revision);
  expect(missing, 'acknowledged and not found').to.deep.equal([]);
  const uneven = stored.filter((document) => Number(document.frequent) !== document.revision);
  expect(uneven, 'counted twice or not at all').to.deep.equal([]);
  expect(acknowledged.size, 'documents').to.be.above(0);
}

/** Returns the higher revision of each id. */
export function merge(...parts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const merged = new Map<string, number>();
  for (const [id, revision] of parts.flatMap((part) => [...part])) {
    merged.set(id, Math.max(revision, merged.get(id) ?? 0));
  }
  return merged;
}
