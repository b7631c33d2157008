import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Hidden classes that were made for a single object each, by the names of the members with which they were. */
export type HiddenClasses = ReadonlyMap<string, number>;

/** Watches V8 make hidden classes in a process that is started with `nodeArgs`. */
export interface HiddenClassLog {
  readonly nodeArgs: readonly string[];
  /** Those that were made since it was last asked. */
  since(): Promise<HiddenClasses>;
}

// An object that is spread and then given more members, `{ ...a, b }`, has a class of its own in Node 20, which V8
// counts among those of prototypes. Whoever reads such objects afterwards is slow with each of them.
const MADE_FOR_ONE = /^map,Transition,(?:[^,]*,){6}prototype,(\w+)$/;

/** Makes the log of a process in a folder. */
export function hiddenClassLog(folder: string): HiddenClassLog {
  const file = join(folder, 'hidden-classes.log');
  let read = 0;
  return {
    nodeArgs: ['--log-maps', `--logfile=${file}`, '--no-logfile-per-isolate'],
    async since() {
      const lines = (await readFile(file, 'latin1')).split('\n');
      const made = new Map<string, number>();
      for (const line of lines.slice(read)) {
        const name = MADE_FOR_ONE.exec(line)?.[1];
        if (name !== undefined) made.set(name, (made.get(name) ?? 0) + 1);
      }
      // The last one may not be whole yet.
      read = lines.length - 1;
      return made;
    },
  };
}
