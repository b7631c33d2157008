import pc from 'picocolors';

/** Prints a line of the demonstration under a heading. */
export function say(what: string, text: string): void {
  console.log(`${pc.green(what.padEnd(13))} ${text}`);
}

/** Prints a text below its line, indented. */
export function show(text: string): void {
  console.log(pc.dim(text.trim().replaceAll(/^/gm, '    ')));
}

/** Resolves once the condition holds. Rejects after 15 s with an error that names `what`. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
