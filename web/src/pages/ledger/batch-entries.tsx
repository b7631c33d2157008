import type { BatchEntriesView, ProofView } from '../../../../src/ledger/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, setQuery, withQuery } from '../../router.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { IdLink } from '../../ui/link.js';
import { Section } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { Id } from '../../ui/text.js';
import { BlockProof } from './block-proof.js';
import { Hash, shortHash } from './hash.js';
import { ProofTree } from './proof-tree.js';

type Entry = BatchEntriesView['entries'][number];

const COLUMNS: readonly Column<Entry>[] = [
  { head: 'Entry', number: true, fit: true, cell: ({ index }) => index + 1 },
  {
    head: 'Entity',
    cell: ({ entityId }) => <IdLink to={pathTo('ledger', 'entities', entityId)} text={entityId} />,
  },
  { head: 'Hash of its content', fit: true, cell: ({ hash }) => <code title={hash}>{shortHash(hash)}</code> },
  {
    head: 'Proof',
    fit: true,
    cell: ({ index }) => (
      <Button
        label={`Show the proof of entry ${index + 1}`}
        onClick={() => setQuery({ proof: String(index) })}
      >
        Show
      </Button>
    ),
  },
];

/** The entries of a batch, and the proof of the chosen one. */
export function BatchEntries(props: { readonly transactionHash: string; readonly count: number }) {
  const path = `/console/api/ledger/receipts/${props.transactionHash}/entries`;
  const entries = useQuery<BatchEntriesView>(withQuery(path, { from: queryValue('from') }));
  const chosen = queryValue('proof');
  return (
    <>
      {chosen !== '' && (
        <Proof path={`${path}/${encodeURIComponent(chosen)}/proof`} transactionHash={props.transactionHash} />
      )}
      <Section
        title="Entries of the batch"
        note={`${props.count.toLocaleString('en')}, one root on the chain`}
      >
        <Answer query={entries}>
          {({ entries: rows, next }) => (
            <>
              <Table
                label="Entries of the batch"
                columns={COLUMNS}
                rows={rows}
                rowKey={({ index }) => index}
                busy={entries.loading}
              />
              <Pager name="from" next={next} />
            </>
          )}
        </Answer>
      </Section>
    </>
  );
}

function Proof({ path, transactionHash }: { readonly path: string; readonly transactionHash: string }) {
  const proof = useQuery<ProofView>(path);
  const entry = proof.data;
  return (
    <>
      <Section
        title="Proof"
        actions={
          <Button kind="quiet" onClick={() => setQuery({ proof: '' })}>
            Close
          </Button>
        }
      >
        <Answer query={proof}>{(shown) => <ShownProof proof={shown} />}</Answer>
      </Section>
      {entry !== undefined && entry.recordedRoot === entry.root && (
        <BlockProof transactionHash={transactionHash} entityId={entry.entityId} hash={entry.hash} />
      )}
    </>
  );
}

function ShownProof({ proof }: { readonly proof: ProofView }) {
  const { entityId, index, count, hash, leaf, steps, root, recordedRoot } = proof;
  return (
    <div class="proof">
      <div>
        <p>
          <Id text={entityId} /> is entry {index + 1} of {count}.{' '}
          {recordedRoot === null ? (
            'The transaction is in no block yet: there is no root to compare with.'
          ) : recordedRoot === root ? (
            <StateBadge state="verified" text="The proof leads to the root on the chain." />
          ) : (
            <StateBadge state="refused" text="The proof does not lead to the root on the chain." />
          )}
        </p>
        <ProofTree proof={proof} />
      </div>
      <ol class="proof-steps" aria-label="The same, step by step">
        <li>
          Hash of the canonical content: <Hash value={hash} label="hash of the content" />
        </li>
        <li>
          Leaf, <code>keccak256(keccak256(hash))</code>: <Hash value={leaf} label="leaf" />
        </li>
        {steps.map(({ left, right, node }) => (
          <li key={node}>
            <code>
              keccak256({shortHash(left)} ‖ {shortHash(right)})
            </code>
            : <Hash value={node} label="node" />
          </li>
        ))}
        <li>
          Root in the contract’s event:{' '}
          {recordedRoot === null ? 'none yet' : <Hash value={recordedRoot} label="root on the chain" />}
        </li>
      </ol>
    </div>
  );
}
