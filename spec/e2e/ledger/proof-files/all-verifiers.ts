import { expect } from 'chai';
import { verifyProof } from '../../../../src/library/proof.js';
import { specBrowser } from '../../../console/browser.js';
import { byPage, openVerifyPage } from '../../../ledger/proof-file/page-verifier.js';
import type { Vector } from '../../../ledger/proof-file/vectors.js';
import { byCommand, byPython, specPython } from '../../../ledger/proof-file/verifiers.js';
import { writtenFiles } from '../../../written-files.js';
import type { ApiAnswer } from '../../api-client.js';
import { receiptIn } from '../scene.js';
import { fileIn, type ProofScene } from './scene.js';

/** Asks for the proof of content that an answer has the receipt of. Returns what verifiers need for it. */
export async function provenBy(
  scene: Pick<ProofScene, 'proof'>,
  answer: ApiAnswer,
  kind: Vector['kind'],
  entityId: string,
  content: object,
): Promise<Vector> {
  const { transactionHash, blockHash, from, logs, additionalInformation } = receiptIn(answer);
  const proof = await scene.proof(transactionHash, `entity=${encodeURIComponent(entityId)}`);
  const expected = { blockHash, from, contract: fileIn(proof).contract };
  expect(logs[0]!.address).to.equal(expected.contract);
  const name = `${additionalInformation.operation} ${entityId}`;
  return { name, about: '', file: proof.text, kind, content: JSON.stringify(content), expected };
}

/**
 * Adds hooks to a `describe`: its specs are skipped without Chromium or Python. Returns the function that expects all four
 * verifiers to accept proofs: the library, the command, examples/verify_proof.py and the page.
 */
export function allVerifiers(): (proofs: readonly Vector[]) => Promise<void> {
  const browser = specBrowser();
  specPython();
  const written = writtenFiles();

  return async (proofs) => {
    const [page, python] = [
      await byPage(await openVerifyPage(browser), proofs),
      await byPython(proofs, written),
    ];
    for (const [i, { name, file, kind, content, expected }] of proofs.entries()) {
      const verdict = verifyProof(file, { [kind]: content }, expected);
      expect(verdict, name).to.deep.include({ verified: true, trusted: [] });
      const command = await byCommand(proofs[i]!, written);
      expect(command.code, name).to.equal(0);
      expect(python[i], name).to.deep.equal(command);
      expect(page[i], name).to.match(/^VERIFIED under the block hash 0x/);
    }
  };
}
