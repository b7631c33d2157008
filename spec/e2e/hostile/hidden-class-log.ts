import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Number of hidden classes made for a single object each, by the names of their members. */
export type HiddenClasses = ReadonlyMap<string, number>;

/** Records the hidden classes that V8 makes in a process started with `nodeArgs`. */
export interface HiddenClassLog {
  readonly nodeArgs: readonly string[];
  /** Returns the hidden classes made since the last call. */
  since(): Promise<HiddenClasses>;
}

// In Node 20 each object made by a spread with further members, `{ ...a, b }`, has its own hidden class. V8 counts it
// among the classes of prototypes. Code that reads such objects is slow with each of them.
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
      // The last line may be incomplete.
      read = lines.length - 1;
      return made;
    },
  };
}
