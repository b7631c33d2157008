import type { BlockView, ReceiptFieldView, ReceiptView } from '../../../../src/ledger/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, withQuery } from '../../router.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Json } from '../../ui/code.js';
import { IdLink, Link } from '../../ui/link.js';
import { counted, Num } from '../../ui/number.js';
import { DetailList, Page, Section } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { BatchEntries } from './batch-entries.js';
import { BlockProof } from './block-proof.js';
import { Hash, shortHash } from './hash.js';
import { TransactionBadge } from './transaction-state.js';

/** One transaction: what it says, where it is, and what each member of its receipt means. */
export function ReceiptPage({ hash }: { readonly hash: string }) {
  const path = `/console/api/ledger/receipts/${encodeURIComponent(hash)}`;
  const receipt = useQuery<ReceiptView>(path, { on: ['receipt'], every: 5_000 });
  return (
    <Page
      title={`Receipt ${shortHash(hash)}`}
      crumbs={[{ to: '/console/ledger', text: 'Ledger' }]}
      actions={
        <Link to={withQuery('/console/ledger/verify', { transaction: hash })} class="button">
          Verify content
        </Link>
      }
    >
      <Answer query={receipt}>{(shown) => <Receipt shown={shown} />}</Answer>
    </Page>
  );
}

function Receipt({ shown }: { readonly shown: ReceiptView }) {
  const { transactionHash, batch, entityId, state, fields, receipt } = shown;
  return (
    <>
      <Summary shown={shown} />
      {batch !== null && <BatchEntries transactionHash={transactionHash} count={batch.count} />}
      {entityId !== null && state === 'recorded' && (
        <BlockProof transactionHash={transactionHash} entityId={entityId} />
      )}
      {receipt !== null && (
        <>
          <Section
            title="Each field, and what it means"
            note="the last ones, from “operation” on, are members of additionalInformation"
          >
            <Table
              label="Fields of the receipt"
              columns={COLUMNS}
              rows={fields}
              rowKey={({ name }) => name}
            />
          </Section>
          <Section
            title="As the service answers it"
            note={batch === null ? undefined : 'without its entries'}
          >
            <Json value={receipt} label="Receipt" />
          </Section>
        </>
      )}
    </>
  );
}

function Summary({ shown }: { readonly shown: ReceiptView }) {
  const { state, operation, entityId, batch, account, tenant, block } = shown;
  const { recordedAt, refusal, fault, signatures, explorer } = shown;
  return (
    <DetailList
      rows={[
        ['State', <TransactionBadge state={state} />],
        refusal !== null && ['Refused because', <Id text={refusal} />],
        fault !== null && ['Nothing recorded because', <Id text={fault} />],
        ['Operation', operation],
        [
          'Entity',
          entityId === null ? (
            `${batch?.count ?? 0} entities in one batch`
          ) : (
            <IdLink to={pathTo('ledger', 'entities', entityId)} text={entityId} />
          ),
        ],
        ['Signed by', <Hash value={account} label="account" />],
        tenant !== null && ['Tenant', <Id text={tenant} />],
        [
          'Transaction',
          <>
            <Hash value={shown.transactionHash} label="hash of the transaction" />
            {explorer !== null && (
              <>
                {' '}
                <a class="explorer" href={explorer} target="_blank" rel="noreferrer">
                  See it in the block explorer
                </a>
              </>
            )}
          </>,
        ],
        signatures.length > 1 && [
          'Signatures',
          <ul>
            {signatures.map((signature) => (
              <li key={signature}>
                <Hash value={signature} label="hash of a signature" />
              </li>
            ))}
          </ul>,
        ],
        ['Block', block === null ? 'in no block yet' : <Block block={block} />],
        ['Receipt came', <Time at={recordedAt} />],
      ]}
    />
  );
}

function Block({ block }: { readonly block: BlockView }) {
  const { number, time, confirmations, finality, final } = block;
  return (
    <>
      <Num value={number} />
      {time !== null && (
        <>
          , made <Time at={time} />
        </>
      )}
      {final && (
        <>
          , {counted(confirmations ?? finality, 'confirmation')} <StateBadge state="final" />
        </>
      )}
      {!final && confirmations !== null && (
        <span class="finality">
          {' '}
          <progress value={confirmations} max={finality} aria-label="Blocks until the block is final" />{' '}
          {confirmations} of {counted(finality, 'block')} until it is final
        </span>
      )}
    </>
  );
}

/** Characters of a value that are shown before the viewer asks for all. */
const VALUE_SHOWN = 200;

const COLUMNS: readonly Column<ReceiptFieldView>[] = [
  { head: 'Field', fit: true, cell: ({ name }) => <code>{name.replace('additionalInformation.', '')}</code> },
  { head: 'Value', cell: ({ value }) => <Id text={value} most={VALUE_SHOWN} /> },
  { head: 'Meaning', cell: ({ meaning }) => meaning },
];
