import { withQuery, queryValue } from '../../router.js';
import { isOperator } from '../../session.js';
import { Page } from '../../ui/page.js';
import { ChoiceFilter, Filters, TenantFilter, TextFilter } from '../filters.js';
import { DELIVERY_STATES, DeliveryList, PAGE_SIZE } from './delivery-list.js';

const NAMES = ['state', 'tenant', 'server', 'subscription', 'answer', 'before'] as const;

/** The messages of the service, newest first. */
export function DeliveriesPage() {
  const filters = Object.fromEntries(NAMES.map((name) => [name, queryValue(name)]));
  const path = withQuery('/console/api/deliveries', { ...filters, limit: PAGE_SIZE });
  const isFiltered = NAMES.some((name) => name !== 'before' && filters[name] !== '');
  return (
    <Page title="Deliveries">
      <Filters>
        <ChoiceFilter name="state" label="State" all="all states" choices={DELIVERY_STATES} />
        {isOperator.value && <TenantFilter />}
        <TextFilter name="server" label="Server" />
        <TextFilter name="subscription" label="Subscription" />
        <TextFilter name="answer" label="Last answer" />
      </Filters>
      <DeliveryList key={path} path={path} isFiltered={isFiltered} />
    </Page>
  );
}
