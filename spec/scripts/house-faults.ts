import { expect } from 'chai';
import path from 'node:path';
import { type Fixture, repository, type Run } from './fixture.js';

const script = path.join(repository, 'scripts', 'check.js');

/** Checks the rules of the repository in a fixture. */
export function checkHouse(fixture: Fixture): Promise<Run> {
  return fixture.node(script, 'house');
}

/** Returns the faults of a tree. */
export async function houseFaultsOf(
  fixture: Fixture,
  files: Readonly<Record<string, string>>,
): Promise<string[]> {
  fixture.write(files);
  const { status, stdout } = await checkHouse(fixture);
  const [first = '', ...faults] = stdout.trimEnd().split('\n');
  expect(first).to.match(faults.length > 0 ? /^house: FAULTS/ : /^house: \d+ files/);
  expect(status).to.equal(faults.length > 0 ? 1 : 0);
  return faults;
}
