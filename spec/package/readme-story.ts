import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the commands in a section of the README, as one script for a POSIX shell. `replaced`: texts for other texts, such as
 * addresses. Throws if one of them is not in the section.
 */
export async function readmeScript(
  folder: string,
  heading: string,
  replaced: ReadonlyMap<string, string>,
): Promise<string> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the README has no section "${heading}"`);
  let script = [...section.matchAll(/^```sh\n([^]+?)^```$/gm)].map(([, commands]) => commands).join('\n');
  for (const [text, other] of replaced) {
    if (!script.includes(text)) throw new Error(`the section "${heading}" has no ${text}`);
    script = script.replaceAll(text, other);
  }
  return script;
}
