import type { ExplainedNonce } from '../../../../src/ledger/shapes.js';
import type { AccountsView, AccountView } from '../../../../src/operator/shapes.js';
import { useQuery } from '../../query.js';
import { queryValue, withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Num } from '../../ui/number.js';
import { Page, Section } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { Prose } from '../../ui/text.js';
import { isAhead, Time } from '../../ui/time.js';
import { Hash, ReceiptLink, shortHash } from './hash.js';

/** A nonce that is open for longer is worth a warning: blocks come in seconds, ms. */
const LONG_MS = 60_000;

/** The accounts that sign, each with its pending nonces and why they wait. */
export function AccountsPage() {
  const path = withQuery('/operator/accounts', { after: queryValue('after') });
  const accounts = useQuery<AccountsView>(path, { on: ['receipt'], every: 3_000 });
  return (
    <Page title="Accounts" crumbs={[{ to: '/console/ledger', text: 'Ledger' }]}>
      <Answer query={accounts}>
        {({ accounts: rows, next }) => (
          <>
            {rows.length === 0 && (
              <Empty
                title="No account has signed yet"
                text="An account appears here with its first transaction."
              />
            )}
            {rows.map((account) => (
              <Account key={`${account.chain}/${account.account}`} {...account} />
            ))}
            <Pager name="after" next={next} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function Account({ account, chain, state, next, free, open }: AccountView) {
  return (
    <Section
      title={shortHash(account)}
      note={
        <>
          chain {chain} · <AccountState state={state} open={open} /> · next nonce{' '}
          {next === null ? '–' : <Num value={next} />}
          {free.length > 0 && ` · free below it: ${free.join(', ')}`}
        </>
      }
    >
      <p>
        <Hash value={account} label="account" />
      </p>
      <Table
        label={`Pending nonces of ${account}`}
        columns={COLUMNS}
        rows={open}
        rowKey={({ transactionHash }) => transactionHash}
        empty={<p class="quiet-text">No pending nonce: every transaction is in a block.</p>}
      />
    </Section>
  );
}

/** The state of an account; `waiting` once one of its nonces is open for long, for which the account has no state. */
function AccountState({ state, open }: Pick<AccountView, 'state' | 'open'>) {
  const waits = open.some(({ since }) => since !== null && !isAhead(Date.parse(since) + LONG_MS));
  return <StateBadge state={waits && state !== 'stalled' ? 'waiting' : state} />;
}

const COLUMNS: readonly Column<ExplainedNonce>[] = [
  { head: 'Nonce', number: true, fit: true, cell: ({ nonce }) => <Num value={nonce} /> },
  {
    head: 'Transaction',
    fit: true,
    cell: ({ transactionHash, replacements }) => (
      <>
        <ReceiptLink hash={transactionHash} />
        {replacements.length > 0 && ` signed ${replacements.length + 1} times`}
      </>
    ),
  },
  { head: 'Why it waits', cell: ({ why }) => <Prose text={why} /> },
  { head: 'Sent', number: true, fit: true, cell: ({ attempts }) => `${attempts} ×` },
  { head: 'Since', fit: true, cell: ({ since }) => <Time at={since} /> },
];
