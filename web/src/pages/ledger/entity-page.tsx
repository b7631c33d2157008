import type { EntityView, TransactionRowView } from '../../../../src/ledger/shapes.js';
import { useQuery } from '../../query.js';
import { queryValue, withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { ReceiptLink, shortHash } from './hash.js';
import { TransactionBadge } from './transaction-state.js';

const COLUMNS: readonly Column<TransactionRowView>[] = [
  {
    head: 'Transaction',
    cell: ({ transactionHash }) => <ReceiptLink hash={transactionHash} />,
  },
  { head: 'State', fit: true, cell: ({ state }) => <TransactionBadge state={state} /> },
  {
    head: 'Operation',
    fit: true,
    cell: ({ operation, batch }) =>
      batch === null ? operation : `${operation}, entry ${batch.index + 1} of ${batch.count}`,
  },
  {
    head: 'Block',
    number: true,
    fit: true,
    cell: ({ blockNumber }) => (blockNumber === null ? '–' : <Num value={blockNumber} />),
  },
  { head: 'Signed by', fit: true, cell: ({ account }) => <code title={account}>{shortHash(account)}</code> },
  { head: 'When', fit: true, cell: ({ recordedAt }) => <Time at={recordedAt} /> },
];

/** The transactions of one entity, newest first. */
export function EntityPage({ id }: { readonly id: string }) {
  const path = `/console/api/ledger/entities/${encodeURIComponent(id)}`;
  const entity = useQuery<EntityView, 'receipt'>(withQuery(path, { before: queryValue('before') }), {
    on: ['receipt'],
    // A batch names no entity.
    concerns: ({ entityId }) => entityId === undefined || entityId === id,
  });
  const newest = entity.data?.transactions[0]?.transactionHash;
  return (
    <Page
      title={id}
      heading={<Id text={id} />}
      crumbs={[{ to: '/console/ledger', text: 'Ledger' }]}
      actions={
        <Link to={withQuery('/console/ledger/verify', { transaction: newest })} class="button">
          Verify
        </Link>
      }
    >
      <Answer query={entity}>
        {({ transactions, next }) => (
          <>
            <Table
              label="Transactions, newest first"
              columns={COLUMNS}
              rows={transactions}
              rowKey={({ transactionHash, batch }) => `${transactionHash} ${batch?.index ?? ''}`}
              busy={entity.loading}
              empty={
                <Empty
                  title="No transaction on this page"
                  text="The transactions here are another tenant’s, or a reorganisation has removed them for now."
                />
              }
            />
            <Pager name="before" next={next} />
          </>
        )}
      </Answer>
    </Page>
  );
}
