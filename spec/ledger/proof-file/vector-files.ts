import { badVectors } from './bad-vectors.js';
import { goodVectors, type Vector } from './vectors.js';

/** An entry of `index.json`: a vector whose file and content are files, relative to it. */
export type IndexedVector = Omit<Vector, 'expected' | 'bytes'> &
  Vector['expected'] & { readonly verified: boolean };

/** Makes all vectors. */
export async function allVectors(): Promise<readonly Vector[]> {
  return [...(await goodVectors()), ...(await badVectors())];
}

/** Makes the files of examples/proofs, by name: each text once, and the index. */
export async function vectorFiles(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const names = new Map<string | Uint8Array, string>();
  const once = (folder: string, name: string, text: string | Uint8Array): string => {
    const found = names.get(text) ?? `${folder}/${name}.json`;
    names.set(text, found);
    return found;
  };
  const index = (await allVectors()).map((vector): IndexedVector => {
    const { name, about, file, kind, content, bytes, expected = {}, step } = vector;
    return {
      name,
      about,
      file: once('files', name, file),
      kind,
      content: once('contents', name, bytes ?? content),
      ...expected,
      verified: step === undefined,
      ...(step !== undefined && { step }),
    };
  });
  const files = Array.from(names, ([text, name]) => [name, text] as const);
  return new Map([...files, ['index.json', `${JSON.stringify(index, undefined, 2)}\n`]]);
}
