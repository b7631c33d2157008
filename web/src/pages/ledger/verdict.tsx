import { useState } from 'preact/hooks';
import type { BatchEntriesView, EntryJudgement, Verdict } from '../../../../src/ledger/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, withQuery } from '../../router.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Link } from '../../ui/link.js';
import { counted, Num } from '../../ui/number.js';
import { DetailList } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { Hash, shortHash } from './hash.js';

/** Entities that are shown at first, and with each "Show more". */
const SHOWN = 20;

interface VerdictProps {
  readonly verdict: Verdict;
  readonly transactionHash: string;
}

/** The answer of the chain: what was recorded, and the hash of what was pasted. */
export function ShownVerdict({ verdict, transactionHash }: VerdictProps) {
  const { verified, reason, operation, entityId, contentHash, hash, from, entries } = verdict;
  const { blockNumber, recordedAt } = verdict;
  const isInBatch = verified && hash !== contentHash;
  return (
    <section class={verified ? 'verdict good' : 'verdict bad'} aria-label="Answer of the chain">
      <h2>
        <StateBadge
          state={verified ? 'verified' : 'refused'}
          text={verified ? 'Verified: the chain has recorded exactly this.' : 'Not verified.'}
        />
      </h2>
      {reason !== undefined && <Prose text={entries === undefined ? sentence(reason) : countOf(entries)} />}
      {entries !== undefined && <Entries entries={entries} transactionHash={transactionHash} />}
      {!verified && entityId !== undefined && contentHash !== undefined && (
        <p>
          <SameId {...{ transactionHash, entityId, contentHash }} />
        </p>
      )}
      <DetailList
        rows={[
          operation !== undefined && ['Operation', operation],
          entityId !== undefined && ['Entity', <Id text={entityId} />],
          contentHash !== undefined && [
            'Hash of what you pasted',
            <Hash value={contentHash} label="hash of what you pasted" />,
          ],
          isInBatch && ['Root of the batch', <Hash value={hash} label="root of the batch" />],
          ['Signed by', <Hash value={from} label="account" />],
          ['Block', blockNumber === null ? 'in no block' : <Num value={blockNumber} />],
          ['Recorded', <Time at={recordedAt} />],
        ]}
      />
      <p>
        <Link to={pathTo('ledger', 'receipts', transactionHash)}>The receipt</Link>
      </p>
    </section>
  );
}

/** Returns a reason as a sentence. */
function sentence(reason: string): string {
  return `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`;
}

function countOf(entries: readonly EntryJudgement[]): string {
  const wrong = entries.filter(({ verified }) => !verified).length;
  return `${wrong.toLocaleString('en')} of ${counted(entries.length, 'entity is', 'entities are')} not verified.`;
}

type Entry = EntryJudgement & { readonly index: number };

/** What the chain says of each entity, the ones that are not verified first. */
function Entries(props: { readonly entries: readonly EntryJudgement[]; readonly transactionHash: string }) {
  const [most, setMost] = useState(SHOWN);
  const numbered: readonly Entry[] = props.entries.map((entry, index) => ({ ...entry, index }));
  const sorted = numbered.toSorted((a, b) => Number(a.verified) - Number(b.verified));
  const columns: readonly Column<Entry>[] = [
    { head: 'Pasted', number: true, fit: true, cell: ({ index }) => index + 1 },
    { head: 'Entity', cell: ({ entityId }) => <Id text={entityId} /> },
    {
      head: 'Hash of what you pasted',
      fit: true,
      cell: ({ contentHash }) => <code title={contentHash}>{shortHash(contentHash)}</code>,
    },
    {
      head: 'Answer',
      cell: ({ verified, ...entry }) =>
        verified ? (
          <StateBadge state="verified" text="verified" />
        ) : (
          <>
            <StateBadge state="refused" text="not verified" />{' '}
            <SameId
              transactionHash={props.transactionHash}
              {...entry}
              otherwise={sentence(entry.reason ?? '')}
            />
          </>
        ),
    },
  ];
  return (
    <>
      <Table
        label="Entities, those not verified first"
        columns={columns}
        rows={sorted.slice(0, most)}
        rowKey={({ index }) => index}
      />
      {sorted.length > most && (
        <p>
          <Button onClick={() => setMost(most + SHOWN)}>Show more of {sorted.length}</Button>
        </p>
      )}
    </>
  );
}

/** Says which entries of the batch have the id of an entity, with another hash. Empty if it is not a batch that is known here. */
function SameId(props: {
  readonly transactionHash: string;
  readonly entityId: string;
  readonly contentHash: string;
  /** Shown if nothing is known of the batch. */
  readonly otherwise?: string;
}) {
  const { transactionHash, entityId, contentHash, otherwise = '' } = props;
  const path = `/console/api/ledger/receipts/${transactionHash}/entries`;
  const { data } = useQuery<BatchEntriesView>(withQuery(path, { entity: entityId }));
  if (data === undefined) return null;
  // No batch that is known here.
  if (data.count === 0) return <Prose text={otherwise} />;
  if (data.entries.length === 0) return <span>No entry of the batch has this id.</span>;
  return (
    <>
      {data.entries.map(({ index, hash }, i) => (
        <span key={index} class="same-id">
          {i > 0 && ' '}
          <Link to={withQuery(pathTo('ledger', 'receipts', transactionHash), { proof: String(index) })}>
            Entry {index + 1}
          </Link>{' '}
          of the batch has this id
          {hash === contentHash ? (
            ' and this hash.'
          ) : (
            <>
              , with another hash: <code title={hash}>{shortHash(hash)}</code>.
            </>
          )}
        </span>
      ))}
    </>
  );
}
