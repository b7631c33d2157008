/** Writes the test vectors of proof files into examples/proofs: `index.json`, and the files and contents that it names. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { vectorFiles } from '../spec/ledger/proof-file/vector-files.js';

const target = path.join('examples', 'proofs');
await rm(target, { recursive: true, force: true });
for (const [name, text] of await vectorFiles()) {
  const file = path.join(target, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
