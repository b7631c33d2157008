import { identity } from './development/identity.js';
import { wallet } from './development/wallet.js';
import { readings } from './ledger/reading.js';
import { brokerRecordings } from './ledger/notifying.js';
import { recordings } from './ledger/recording.js';
import type { ApiPart } from './operation.js';
import { actors } from './operator/actors.js';
import { audit, operatorAudit } from './operator/audit.js';
import { deliveries } from './operator/deliveries.js';
import { events } from './operator/events.js';
import { nodes } from './operator/nodes.js';
import { ownDeliveries } from './operator/own-deliveries.js';
import { tenants as operatorTenants } from './operator/tenants.js';
import { receivers } from './operator/receivers.js';
import { refusals } from './operator/refusals.js';
import { ownSources, sources } from './operator/sources.js';
import { backtests } from './policy/backtest.js';
import { explanations } from './policy/explanations.js';
import { fleet, operatorFleet } from './policy/fleet.js';
import { measurements, notifications } from './policy/measurements.js';
import { mute, muteLinks } from './policy/mute.js';
import { openTelemetry } from './policy/otlp.js';
import { operatorQuiet, quiet } from './policy/quiet.js';
import { rules } from './policy/rules.js';
import { servers } from './policy/servers.js';
import { subscriptions } from './policy/subscriptions.js';
import { tenants } from './policy/tenants.js';
import { process } from './process/process.js';

/**
 * Returns the parts of the document, in its order. A new route of a public API needs an operation in one of them.
 * `windowMax` is WINDOW_MAX.
 */
export function apiParts(windowMax: number): readonly ApiPart[] {
  return [
    identity,
    tenants(windowMax),
    audit,
    operatorAudit,
    rules,
    backtests(windowMax),
    servers,
    subscriptions,
    measurements,
    explanations,
    fleet,
    operatorFleet,
    recordings,
    readings,
    brokerRecordings,
    wallet,
    deliveries,
    receivers,
    ownDeliveries,
    events,
    refusals,
    sources,
    ownSources,
    nodes,
    operatorTenants,
    actors,
    mute,
    quiet,
    operatorQuiet,
    muteLinks,
    notifications,
    openTelemetry,
    process,
  ];
}
