import pc from 'picocolors';

/** Prints a line of the demonstration under a heading. */
export function say(what: string, text: string): void {
  console.log(`${pc.green(what.padEnd(13))} ${text}`);
}

/** Prints what was received, below the line that speaks of it. */
export function show(text: string): void {
  console.log(pc.dim(text.trim().replaceAll(/^/gm, '    ')));
}

/** Resolves as soon as something holds; rejects after 15 s, naming what did not come. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
