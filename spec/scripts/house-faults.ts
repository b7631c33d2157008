import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Fixture, repository, type Run } from './fixture.js';

const scripts = path.join(repository, 'scripts');

/** Checks the rules of the repository in a fixture, as `npm run check` does. */
export function checkHouse(fixture: Fixture): Promise<Run> {
  return fixture.node(path.join(scripts, 'check.js'), 'house');
}

/** Returns the faults of a tree. */
export async function houseFaultsOf(
  fixture: Fixture,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  fixture.write(files);
  const { inspectHouse } = (await import(pathToFileURL(path.join(scripts, 'house.js')).href)) as {
    inspectHouse: (root: string) => { readonly faults: readonly string[] };
  };
  return inspectHouse(fixture.folder).faults;
}
