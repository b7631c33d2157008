import { ChangeButtons, DeleteRule } from '../../forms/removals.js';
import { rulePath } from '../../forms/policy-paths.js';
import type { EditedRule } from '../../forms/rule-draft.js';
import { RuleForm } from '../../forms/rule-form.js';
import { useQuery } from '../../query.js';
import { useRestoredState } from '../../restored-state.js';
import { pathTo, queryValue } from '../../router.js';
import { isOperator, session, viewer } from '../../session.js';
import { Answer, Empty } from '../../ui/answer.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy.js';
import { Dialog } from '../../ui/dialog.js';
import { Link } from '../../ui/link.js';
import { Page } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';
import { nameOfTenant, TenantLink } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Filters, TenantFilter } from '../filters.js';
import { ActionText } from './action-text.js';
import { conditionText } from './condition-text.js';
import { RuleOptions } from './rule-options.js';
import { WebhookSecret } from './webhook-secret.js';
import { WindowSize } from './window-size.js';

/** No event tells of a rule that is made elsewhere, ms. */
const EVERY_MS = 5_000;

/** The open dialog, and the rule that it is about. */
interface Opened {
  readonly what: 'new' | 'change' | 'delete' | 'nothing';
  readonly rule?: EditedRule | undefined;
}

/** The rules of a tenant: its own page, with window size and webhook secret, or an operator's, who chooses the tenant. */
export function RulesPage() {
  const person = viewer.value;
  if (person?.kind === 'tenant') return <TenantRules {...person} />;
  const chosen = queryValue('tenant');
  if (chosen === '') return <ChooseTenant />;
  return <TenantRules key={chosen} tenantId={chosen} tenantName={nameOfTenant(chosen) ?? chosen} />;
}

/** Asks an operator for the tenant. */
function ChooseTenant() {
  const { tenants } = session.value!;
  return (
    <Page title="Rules">
      <p class="lead">Choose a tenant to see and change its rules.</p>
      <Filters>
        <TenantFilter />
      </Filters>
      {tenants.length > 0 && (
        <ul class="tenant-list">
          {tenants.map(({ id }) => (
            <li key={id}>
              <TenantLink id={id} list="rules" />
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}

function TenantRules({ tenantId, tenantName }: { readonly tenantId: string; readonly tenantName: string }) {
  const query = useQuery<{ readonly rules: readonly EditedRule[] }>(rulePath(tenantId, undefined), {
    every: EVERY_MS,
  });
  const [opened, open] = useRestoredState<Opened>('rules', { what: 'nothing' });
  const { what, rule } = opened;
  const close = (): void => open({ what: 'nothing', rule });
  const done = (): void => {
    close();
    query.reload();
  };
  const create = (
    <Button kind="primary" onClick={() => open({ what: 'new' })}>
      New rule
    </Button>
  );

  return (
    <Page title="Rules" actions={create}>
      {isOperator.value && (
        <Filters>
          <TenantFilter />
        </Filters>
      )}
      <p class="lead">
        Rules of the tenant <Id text={tenantName} />. Such a rule is evaluated for each server that has a
        subscription to it. <Link to={pathTo('rule-states')}>Rules by state</Link> subscribes many servers. A
        subscription of one server, and a rule of one server alone, are made on the server’s page:{' '}
        <Link to={pathTo('servers')}>choose a server</Link>.
      </p>
      <Answer query={query}>{({ rules }) => <RuleTable rules={rules} onOpen={open} />}</Answer>
      {!isOperator.value && (
        <>
          <WindowSize tenantId={tenantId} />
          <WebhookSecret tenantId={tenantId} />
        </>
      )}
      <Dialog
        open={what === 'new' || what === 'change'}
        title={what === 'change' ? 'Change rule' : 'New rule'}
        onClose={close}
      >
        <RuleForm tenantId={tenantId} rule={what === 'change' ? rule : undefined} onDone={done} />
      </Dialog>
      {rule !== undefined && (
        <DeleteRule
          open={what === 'delete'}
          tenantId={tenantId}
          rule={rule}
          onClose={close}
          onDone={query.reload}
        />
      )}
    </Page>
  );
}

function RuleTable(props: {
  readonly rules: readonly EditedRule[];
  readonly onOpen: (what: Opened) => void;
}) {
  const { rules, onOpen } = props;
  const columns: readonly Column<EditedRule>[] = [
    { head: 'Name', cell: ({ name }) => <Id text={name} /> },
    {
      head: 'Condition',
      cell: (rule) => (
        <>
          <span class="condition">{conditionText(rule.condition)}</span> <RuleOptions options={rule} />
        </>
      ),
    },
    { head: 'Action', cell: ({ action }) => <ActionText action={action} /> },
    {
      head: 'Id',
      cell: ({ ruleId }) => (
        <span class="small-id">
          {ruleId} <CopyButton text={ruleId} label="Rule id" />
        </span>
      ),
      fit: true,
    },
    {
      head: 'Actions',
      cell: (rule) => (
        <span class="row-buttons">
          <ChangeButtons
            name={rule.name}
            onChange={() => onOpen({ what: 'change', rule })}
            onDelete={() => onOpen({ what: 'delete', rule })}
          />
        </span>
      ),
      fit: true,
    },
  ];
  const none = (
    <Empty
      title="No rules of the tenant yet."
      text="A rule has a name, a condition over measurements, and an action."
    >
      <p>
        A rule of one server alone is on the page of <Link to={pathTo('servers')}>its server</Link>.
      </p>
    </Empty>
  );
  return (
    <Table
      label="Rules of the tenant"
      columns={columns}
      rows={rules}
      rowKey={({ ruleId }) => ruleId}
      empty={none}
    />
  );
}
