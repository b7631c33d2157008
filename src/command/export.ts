import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { fieldOf } from '../untrusted/json.js';
import { reasonOf } from '../untrusted/reason.js';
import { operatorService, type ServiceOptions, withOperatorOptions } from './asked-service.js';
import { type CommandBuilder, type CommandContext, type ExitCode, Failure } from './context.js';
import { writeFault } from './files.js';

const MORE = `
What a running service does after its export is not in the file. To move a service, stop it and export with --stopped.

The file contains secrets: those that sign webhooks, and keys of accounts. Only its owner may read it. A file that exists
is replaced once the export is complete.`;

/** `mirzam export`: writes everything durable in the store of a running service to a file. */
export const exportCommand: CommandBuilder = (context) =>
  withOperatorOptions(
    new Command('export')
      .description('Writes everything durable in the store of a running service to a file, as lines of JSON.')
      .argument('<FILE>', 'the file')
      .option(
        '--stopped',
        'asks no service, and reads the store of the settings DATA_DIR or MONGODB_URL, which no service may use',
      )
      .addHelpText('after', MORE),
  ).action(
    context.ending(async (name: string, { stopped, ...options }: Given) => {
      const file = await replaceable(name);
      return stopped === true
        ? withStore(context, (lines) => written(file, lines, context))
        : written(file, await askedFor(options, context), context);
    }),
  );

interface Given extends ServiceOptions {
  readonly stopped?: true;
}

/** Resolves with the export of a running service. */
async function askedFor(options: ServiceOptions, context: CommandContext): Promise<Readable> {
  const { body } = await operatorService(context, options).stream(['operator', 'export']);
  if (body === null) throw new Failure('the service answers without an export; check MIRZAM_URL');
  return Readable.from(unbroken(body));
}

/** Yields an export of a service. Throws `Failure` if the connection ends before it. */
async function* unbroken(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunks;
  } catch (error) {
    throw new Failure(
      `the connection to the service ended before the export did (${reasonOf(error)}); see the log of the service`,
      { cause: error },
    );
  }
}

/**
 * Returns the path of a file that may be replaced, that of its target if it is a link. Throws `Failure` for what is no file: an export
 * takes the place of a whole file, and would take that of a device or a pipe.
 */
async function replaceable(name: string): Promise<string> {
  const found = await stat(name).catch(() => undefined);
  if (found?.isFile() === true) return realpath(name);
  if (found === undefined && name !== '-') return name;
  const what = found?.isDirectory() === true ? 'it is a folder' : 'it is not a file';
  throw new Failure(`the export to ${name} failed: ${what}; name a file, which the export makes or replaces`);
}

/** Writes an export to a file. Throws `Failure`, and then leaves the file as it was. */
async function written(file: string, lines: Readable, context: CommandContext): Promise<ExitCode> {
  const unfinished = `${file}.unfinished`;
  let last: string | undefined;
  try {
    const target = await open(unfinished, 'w', 0o600);
    await pipeline(
      lines,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        const ending = lastLine();
        for await (const chunk of chunks) {
          ending.add(chunk);
          yield chunk;
        }
        last = ending.text();
      },
      target.createWriteStream({ flush: true }),
    );
    const documents = documentsIn(last);
    await rename(unfinished, file);
    context.stdout.write(`${file}: ${documents} documents\n`);
    return 0;
  } catch (error) {
    // Where it could not be made, it cannot be removed either.
    await rm(unfinished, { force: true }).catch(() => undefined);
    if (error instanceof Failure) throw error;
    throw new Failure(`the export to ${file} failed: ${writeFault(error)}`, { cause: error });
  }
}

/** Calls `use` with the export of the store that the settings name. */
async function withStore<T>(
  { environment, version }: CommandContext,
  use: (lines: Readable) => Promise<T>,
): Promise<T> {
  const [{ loadConfig }, { fingerprintsOf }, { openStoppedStore }, { exportedLines }] = await Promise.all([
    import('../config/config.js'),
    import('../config/carried.js'),
    import('../service/stopped-store.js'),
    import('../operator/export.js'),
  ]);
  const config = loadConfig(environment());
  const store = await openStoppedStore(config.store, Date.now).catch((error: unknown) => {
    throw new Failure((error as Error).message, { cause: error });
  });
  try {
    const options = { store, version, fingerprints: () => fingerprintsOf(config), now: Date.now };
    return await use(Readable.from(exportedLines(options), { objectMode: false }));
  } finally {
    await store.close();
  }
}

/** Collects the end of a text, which holds its last line if that is short. */
function lastLine() {
  const LONGEST = 1_024;
  let end = Buffer.alloc(0);
  return {
    add(chunk: Uint8Array): void {
      end = Buffer.concat([end, chunk.subarray(-LONGEST)]).subarray(-LONGEST);
    },
    text: (): string => end.toString('utf8').trimEnd().split('\n').at(-1) ?? '',
  };
}

/** Returns the number in the last line of an export. Throws `Failure` if it is another line: the service broke off. */
function documentsIn(line = ''): number {
  let end: unknown;
  try {
    end = fieldOf(JSON.parse(line), 'end');
  } catch {
    end = undefined;
  }
  if (typeof end === 'number') return end;
  throw new Failure('the export has no end: the service broke it off, and its log says why');
}
