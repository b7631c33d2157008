import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiClient } from '../../api-client.js';

/** Returns the documents of the export that have a text, in their ids or in what they keep. The audit stays after a deletion. */
export async function storedWith(api: Pick<ApiClient, 'call'>, text: string): Promise<readonly string[]> {
  const answer = await api.call('GET', '/operator/export');
  expect(answer.status, answer.text).to.equal(200);
  const lines = answer.text.trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1)!)).to.have.property('end');
  return lines.filter((line) => line.includes(text) && !line.includes('"id":"audit/'));
}

/** Resolves once no document has a text. */
export async function nothingStoredWith(
  api: Pick<ApiClient, 'call'>,
  text: string,
  withinMs: number = SOON_MS,
): Promise<void> {
  await eventually(
    async () => (await storedWith(api, text)).length === 0 || undefined,
    withinMs,
    async () => `still stored: ${(await storedWith(api, text)).join('\n')}`,
  );
}
