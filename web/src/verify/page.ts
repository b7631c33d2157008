import { CONTENT_OF } from '../../../src/ledger/proof-file/proof-form.js';
import type { ProofExpectations } from '../../../src/ledger/proof-file/proof-verdict.js';
import { verifyFile } from '../../../src/ledger/proof-file/verify-file.js';
import { fieldOf, jsonOf } from '../../../src/untrusted/json.js';
import { showFault, showVerdict } from './result.js';

// The page /verify: one file, which runs everywhere and asks nobody.

const HEX: Readonly<Record<keyof ProofExpectations, readonly [name: string, digits: number]>> = {
  blockHash: ['The block hash', 64],
  contract: ['The contract', 40],
  from: ['The signer', 40],
};

function field(id: string): HTMLInputElement | HTMLTextAreaElement {
  return document.querySelector<HTMLInputElement | HTMLTextAreaElement>(`#${id}`)!;
}

/** Puts the text of a chosen file into its field. */
function readInto(id: string): void {
  const chooser = document.querySelector<HTMLInputElement>(`#${id}-file`)!;
  chooser.addEventListener('change', () => {
    const [file] = chooser.files ?? [];
    if (file !== undefined) void read(file, field(id));
  });
}

async function read(file: File, into: { value: string }): Promise<void> {
  try {
    // A byte order mark stays: one is allowed, and two are not.
    into.value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    into.value = '';
    showFault(`${file.name} is not text in UTF-8.`);
  }
}

/** Returns what the reader knows, or why that cannot be compared. */
function expectations(): ProofExpectations | string {
  const expected: Record<string, string> = {};
  for (const [id, [name, digits]] of Object.entries(HEX)) {
    const text = field(id).value.trim().toLowerCase();
    if (text === '') continue;
    if (!new RegExp(`^0x[\\da-f]{${digits}}$`).test(text))
      return `${name} must be 0x and ${digits} hexadecimal digits.`;
    expected[id] = text;
  }
  return expected;
}

function verify(): void {
  const expected = expectations();
  if (typeof expected === 'string') return showFault(expected);
  const [proof, content] = [field('proof').value, field('content').value];
  if (proof.trim() === '') return showFault('The proof file is missing.');
  if (content.trim() === '') return showFault('The content is missing.');
  // The reader gives one content, whatever the file says that it is.
  const kind = CONTENT_OF.get(String(fieldOf(jsonOf(proof.replace(/^\uFEFF/, '')), 'operation'))) ?? 'entity';
  showVerdict(verifyFile(proof, { [kind]: content }, expected));
}

readInto('proof');
readInto('content');
document.querySelector('form')!.addEventListener('submit', (event) => {
  event.preventDefault();
  verify();
});
// What was verified is no longer there.
document.querySelector('form')!.addEventListener('input', () => showFault(''));
