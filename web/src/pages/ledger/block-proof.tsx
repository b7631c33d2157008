import type { BlockProofView } from '../../../../src/ledger/shapes.js';
import { useQuery } from '../../query.js';
import { queryValue, setQuery, withQuery } from '../../router.js';
import { Answer } from '../../ui/answer.js';
import { Button } from '../../ui/button.js';
import { Section } from '../../ui/page.js';
import { BlockProofTree } from './block-proof-tree.js';
import { Hash } from './hash.js';

interface BlockProofProps {
  readonly transactionHash: string;
  readonly entityId: string;
  /** Of an entry of a batch: the hash of its content. */
  readonly hash?: string;
}

/** The proof of an entity up to the hash of the block, once it is asked for, and its file. */
export function BlockProof(props: BlockProofProps) {
  const isAsked = queryValue('block') !== '';
  return (
    <Section
      title="Proof up to the block"
      note="needs neither this service nor a node of the chain"
      actions={
        isAsked ? (
          <Button kind="quiet" onClick={() => setQuery({ block: '' })}>
            Close
          </Button>
        ) : (
          <Button onClick={() => setQuery({ block: 'shown' })}>Show the proof up to the block</Button>
        )
      }
    >
      {isAsked && <Asked {...props} />}
    </Section>
  );
}

function Asked({ transactionHash, entityId, hash = '' }: BlockProofProps) {
  const path = `/console/api/ledger/receipts/${transactionHash}/proof`;
  const proof = useQuery<BlockProofView>(withQuery(path, { entity: entityId, hash }));
  return <Answer query={proof}>{(shown) => <ShownProof proof={shown} />}</Answer>;
}

function ShownProof({ proof }: { readonly proof: BlockProofView }) {
  const { file, transactionHash, batch, receiptNodes, transactionNodes } = proof;
  const { block, hash, assetId, contract, from } = file;
  const href = `data:application/vnd.mirzam.proof+json,${encodeURIComponent(JSON.stringify(file))}`;
  return (
    <div class="proof">
      <div>
        <p>
          <a class="button primary" href={href} download={`${transactionHash.slice(0, 18)}.proof.json`}>
            Download the proof file
          </a>
        </p>
        <BlockProofTree proof={proof} />
      </div>
      <ol class="proof-steps" aria-label="The same, step by step, from the content to the block">
        <li>
          Hash of the canonical content: <Hash value={hash} label="hash of the content" />
        </li>
        {batch !== null && (
          <>
            <li>
              Leaf of the batch: <Hash value={batch.leaf} label="leaf of the batch" />
            </li>
            <li>
              Root of the batch: <Hash value={batch.root} label="root of the batch" />
            </li>
          </>
        )}
        <li>
          The event of the contract <Hash value={contract} label="contract" /> has{' '}
          {batch === null ? 'this hash, and that of the entity’s id' : 'this root twice'}:{' '}
          <Hash value={assetId} label="first argument of the event" />
        </li>
        <li>
          The receipt with the event is in the trie of the receipts, whose root is{' '}
          <Hash value={receiptNodes[0]!} label="receiptsRoot" />
        </li>
        <li>
          The transaction, signed by <Hash value={from} label="account" />, is in the trie of the
          transactions, whose root is <Hash value={transactionNodes[0]!} label="transactionsRoot" />
        </li>
        <li>The header of block {block.number.toLocaleString('en')} has both roots.</li>
        <li>
          Its hash, which is left to trust: <Hash value={block.hash} label="hash of the block" />
        </li>
      </ol>
    </div>
  );
}
