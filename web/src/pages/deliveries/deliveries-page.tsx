import { withQuery, queryValue } from '../../router.js';
import { isOperator } from '../../session.js';
import { Page } from '../../ui/page.js';
import { ChoiceFilter, Filters, TenantFilter, TextFilter } from '../filters.js';
import { DeliveryList } from './delivery-list.js';
import { Receivers } from './receivers.js';

const PAGE_SIZE = '50';
const STATES = ['pending', 'delivered', 'dead'];
const NAMES = ['state', 'tenant', 'server', 'subscription', 'before'] as const;

/** The messages of the service, newest first, below the receivers that are in trouble. */
export function DeliveriesPage() {
  const filters = Object.fromEntries(NAMES.map((name) => [name, queryValue(name)]));
  const path = withQuery('/console/api/deliveries', { ...filters, limit: PAGE_SIZE });
  const isFiltered = NAMES.some((name) => name !== 'before' && filters[name] !== '');
  return (
    <Page title="Deliveries">
      <Receivers />
      <Filters>
        <ChoiceFilter name="state" label="State" all="all states" choices={STATES} />
        {isOperator.value && <TenantFilter />}
        <TextFilter name="server" label="Server" />
        <TextFilter name="subscription" label="Subscription" />
      </Filters>
      <DeliveryList key={path} path={path} isFiltered={isFiltered} />
    </Page>
  );
}
