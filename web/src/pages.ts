/**
 * The pages of the console: one entry for each. A page is loaded when it is first shown. Its component takes the
 * parameters of its path as props.
 */
import type { ComponentType } from 'preact';
import type { SessionView } from '../../src/console/shapes.js';

/** A page, and where the navigation has it. */
export interface PageEntry {
  /** `/console/servers/:tenant/:server`: parameters are decoded. */
  readonly pattern: string;
  /** Without it, the page is everybody's. */
  readonly only?: 'operator' | 'tenant';
  /** The part of the service without which the page says that it is not there. */
  readonly needs?: keyof SessionView['parts'];
  /** Entry in the navigation. Other pages light up the entry whose path theirs begins with. */
  readonly nav?: { readonly group: 'Rules' | 'Ledger' | 'System'; readonly label: string };
  readonly load: () => Promise<ComponentType<Record<string, string>>>;
}

/** True for a page that the viewer of a session has. */
export function isThere(
  { only, needs }: Pick<PageEntry, 'only' | 'needs'>,
  { viewer, parts }: Pick<SessionView, 'viewer' | 'parts'>,
): boolean {
  return (only === undefined || viewer?.kind === only) && (needs === undefined || parts[needs]);
}

/** Makes the loader of a page from its module. */
type Loaded = ComponentType<Record<string, string>>;
const as = (page: unknown): Loaded => page as Loaded;

/** All pages, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    pattern: '/console',
    nav: { group: 'Rules', label: 'Overview' },
    load: async () => as((await import('./pages/overview/overview.js')).OverviewPage),
  },

  // Servers.
  {
    pattern: '/console/servers',
    nav: { group: 'Rules', label: 'Servers' },
    load: async () => as((await import('./pages/servers/servers-page.js')).ServersPage),
  },
  {
    pattern: '/console/rule-states',
    nav: { group: 'Rules', label: 'Rules by state' },
    load: async () => as((await import('./pages/rule-states/rule-states-page.js')).RuleStatesPage),
  },
  {
    pattern: '/console/servers/:tenant/:server',
    load: async () => as((await import('./pages/server/server-page.js')).ServerPage),
  },

  // Receivers, deliveries, sources, refused measurements, and the tenant's rules.
  {
    pattern: '/console/receivers',
    nav: { group: 'Rules', label: 'Receivers' },
    load: async () => as((await import('./pages/receivers/receivers-page.js')).ReceiversPage),
  },
  {
    pattern: '/console/receivers/:id',
    load: async () => as((await import('./pages/receivers/receiver-page.js')).ReceiverPage),
  },
  {
    pattern: '/console/deliveries',
    nav: { group: 'Rules', label: 'Deliveries' },
    load: async () => as((await import('./pages/deliveries/deliveries-page.js')).DeliveriesPage),
  },
  {
    pattern: '/console/deliveries/:id',
    load: async () => as((await import('./pages/deliveries/delivery-page.js')).DeliveryPage),
  },
  {
    pattern: '/console/quiet',
    nav: { group: 'Rules', label: 'Quiet times' },
    load: async () => as((await import('./pages/quiet/quiet-page.js')).QuietPage),
  },
  {
    pattern: '/console/sources',
    nav: { group: 'Rules', label: 'Sources' },
    load: async () => as((await import('./pages/sources/sources-page.js')).SourcesPage),
  },
  {
    pattern: '/console/refusals',
    only: 'operator',
    nav: { group: 'Rules', label: 'Refusals' },
    load: async () => as((await import('./pages/refusals/refusals-page.js')).RefusalsPage),
  },
  {
    pattern: '/console/rules',
    nav: { group: 'Rules', label: 'Rules' },
    load: async () => as((await import('./pages/rules/rules-page.js')).RulesPage),
  },

  // Ledger.
  {
    pattern: '/console/ledger',
    needs: 'ledger',
    nav: { group: 'Ledger', label: 'Entities' },
    load: async () => as((await import('./pages/ledger/ledger-page.js')).LedgerPage),
  },
  {
    pattern: '/console/ledger/verify',
    needs: 'ledger',
    nav: { group: 'Ledger', label: 'Verify' },
    load: async () => as((await import('./pages/ledger/verify-page.js')).VerifyPage),
  },
  {
    pattern: '/console/ledger/accounts',
    only: 'operator',
    needs: 'ledger',
    nav: { group: 'Ledger', label: 'Accounts' },
    load: async () => as((await import('./pages/ledger/accounts-page.js')).AccountsPage),
  },
  {
    pattern: '/console/ledger/entities/:id',
    needs: 'ledger',
    load: async () => as((await import('./pages/ledger/entity-page.js')).EntityPage),
  },
  {
    pattern: '/console/ledger/receipts/:hash',
    needs: 'ledger',
    load: async () => as((await import('./pages/ledger/receipt-page.js')).ReceiptPage),
  },

  // Audit, tenants, actors, nodes and inbox.
  {
    pattern: '/console/audit',
    nav: { group: 'System', label: 'Audit' },
    load: async () => as((await import('./pages/audit/audit-page.js')).AuditPage),
  },
  {
    pattern: '/console/tenants',
    only: 'operator',
    nav: { group: 'System', label: 'Tenants' },
    load: async () => as((await import('./pages/tenants/tenants-page.js')).TenantsPage),
  },
  {
    pattern: '/console/actors',
    only: 'operator',
    nav: { group: 'System', label: 'Actors' },
    load: async () => as((await import('./pages/actors/actors-page.js')).ActorsPage),
  },
  {
    pattern: '/console/actors/:kind/:tenant/:name',
    only: 'operator',
    load: async () => as((await import('./pages/actors/actor-page.js')).ActorPage),
  },
  {
    pattern: '/console/nodes',
    only: 'operator',
    nav: { group: 'System', label: 'Nodes' },
    load: async () => as((await import('./pages/nodes-page.js')).NodesPage),
  },
  {
    pattern: '/console/inbox',
    only: 'operator',
    needs: 'inbox',
    nav: { group: 'System', label: 'Inbox' },
    load: async () => as((await import('./pages/inbox-page.js')).InboxPage),
  },

  {
    pattern: '/console/login',
    load: async () => as((await import('./pages/login.js')).LoginPage),
  },
];
