import { fingerprintsOf } from '../config/carried.js';
import { consoleGroup } from '../console/routes.js';
import { identityRoutes } from '../embedded/identity-routes.js';
import { vaultGroup } from '../embedded/wallet/routes.js';
import { type App, createApp } from '../http/app.js';
import { authenticate, authenticateOrSession } from '../http/authentication.js';
import { jsonBytes } from '../http/body/body.js';
import type { EdgeMiddleware } from '../http/context.js';
import { acceptJson } from '../http/media-types.js';
import type { OnRefused } from '../http/request-log.js';
import type { Route } from '../http/router.js';
import { ledgerGroups, withoutLedger } from '../ledger/http/routes.js';
import { secureConnections } from '../console/session-cookie.js';
import { readerAddress } from '../openapi/pages/reader-address.js';
import { openApiGroup, openApiRoutes, schemasGroup } from '../openapi/routes.js';
import { operatorAudience, tenantAudience } from '../operator/audience.js';
import { auditRoutes } from '../operator/audit-routes.js';
import { deliveryActionRoutes } from '../operator/delivery-action-routes.js';
import { createDeliveryActions } from '../operator/delivery-actions.js';
import { deliveryRoutes } from '../operator/delivery-routes.js';
import { eventRoutes } from '../operator/event-routes.js';
import { exportRoute } from '../operator/export.js';
import { fleetRoutes } from '../operator/fleet-routes.js';
import { operatorGroups } from '../operator/guard.js';
import { healthRoutes } from '../operator/health/routes.js';
import { tenantByName } from '../operator/query.js';
import { nodeRoutes } from '../operator/nodes/node-routes.js';
import { refusalRoutes } from '../operator/refusals/refusal-routes.js';
import { createReceiverActions } from '../operator/receivers/receiver-actions.js';
import { receiverRoutes } from '../operator/receivers/receiver-routes.js';
import { sourceRoutes } from '../operator/sources/source-routes.js';
import { operatorRoutes } from '../operator/routes.js';
import { tenantRoutes } from '../operator/tenants/tenant-routes.js';
import { openBacktests } from '../policy/http/backtests.js';
import { openPolicyBodies } from '../policy/http/bodies.js';
import { factsAccess } from '../policy/http/facts-access.js';
import { factsRoutes, tenantOfFacts } from '../policy/http/facts-routes.js';
import { muteGroup, muteRoutes } from '../policy/http/mute/mute-routes.js';
import { pathIds } from '../policy/http/path-ids.js';
import { quietRoutes } from '../policy/http/quiet-routes.js';
import { policyRoutes } from '../policy/http/routes.js';
import { createTestMessages } from '../policy/subscriptions/test-messages.js';
import { otlpGroup, otlpRoutes } from '../policy/http/sources/otlp-routes.js';
import { remoteWriteRoutes } from '../policy/http/sources/remote-write-routes.js';
import { openSourceBodies } from '../policy/http/sources/source-bodies.js';
import { tenantOrOperator } from '../policy/http/tenant-or-operator.js';
import {
  ALWAYS_ANSWERED,
  admissionOf,
  challengeOf,
  shortBody,
  statesOf,
  tenantLimitsOf,
} from './configured-parts.js';
import type { ServiceContext } from './context.js';

/** Composes the edge with the routes of all parts. */
export function appOf(context: ServiceContext): { readonly app: App; readonly routes: readonly Route[] } {
  const { config, log, version, now, publicUrl, closeOnStop, identity, actors, targets, policy } = context;
  const { muteLinks, ledger, metrics, refusals, operators, authors, webConsole, tracing, sources } = context;
  const { bodyLimit, batchLimit } = config.http;
  const body = jsonBytes({ limit: bodyLimit });
  const bodySettings = {
    hdd: config.facts.hddReading,
    metrics: config.metrics,
    windowMax: config.window.max,
  };
  const bodies = closeOnStop(openPolicyBodies(bodySettings));
  const sourceBodies = closeOnStop(openSourceBodies(bodySettings));
  const backtests = closeOnStop(openBacktests({ ...bodySettings, gapS: config.window.gapS }));
  const authenticated = authenticate(identity);
  const access = factsAccess(config.facts, authenticated, policy.tenants);
  const onRefused: OnRefused = (request) => {
    const named = tenantOfFacts(request);
    if (named === undefined) return;
    const found = request.tenant ?? policy.tenants.remembered(named);
    const { path, status, message } = request;
    refusals.add({ tenant: found ?? named, isKnown: found !== undefined, path, status, message });
  };
  const ofSources = { access, intake: sources.intake, bodies: sourceBodies, bodyLimit };
  const identified = authenticateOrSession(identity);
  const ofRules = { policy, authenticated: identified, body, bodies, operators, authors, now };
  const served = [
    ...factsRoutes(policy, {
      access,
      body,
      bodies,
      onEvaluated: metrics.rules.evaluated,
      onRefused,
      onIgnored: metrics.rules.ignored,
    }),
    ...remoteWriteRoutes(ofSources),
    ...otlpRoutes(ofSources),
    ...policyRoutes({
      ...ofRules,
      backtestBody: jsonBytes({ limit: batchLimit }),
      backtests,
      startedAt: now(),
      metrics: config.metrics,
      doc: () => `${publicUrl()}/docs/policy-api`,
      refuseTarget: (url) => targets.refuse(url),
    }),
    ...quietRoutes(ofRules),
    ...muteRoutes({ mutes: policy.by(authors.mailLink).mutes, links: muteLinks, now }),
    ...(ledger?.routes(actors, authenticated) ?? withoutLedger()),
    ...(identity.issue === undefined ? [] : identityRoutes(identity.issue, shortBody(bodyLimit))),
    ...operatorsRoutes(context),
    ...webConsole.routes,
  ];
  const windowMax = config.window.max;
  const { trustedProxies } = config.admission;
  const isSecure = secureConnections({ publicUrl, trustedProxies });
  const addressOf = readerAddress({ publicUrl, isSecure });
  const routes = [...served, ...openApiRoutes({ version, windowMax, routes: served, addressOf })];
  const app = createApp({
    log,
    challenge: () => challengeOf(config, publicUrl()),
    observe: metrics.request,
    onRefused,
    admission: admissionOf(config),
    browsers: { hosts: config.http.hosts, anyHost: ALWAYS_ANSWERED },
    groups: [
      ...ledgerGroups,
      vaultGroup,
      ...operatorGroups(operators),
      consoleGroup,
      muteGroup,
      otlpGroup,
      openApiGroup,
      schemasGroup,
    ],
    sessions: webConsole.sessions,
    routes,
    tracing,
  });
  return { app, routes };
}

function operatorsRoutes(context: ServiceContext): readonly Route[] {
  const { config, version, now, readiness, store, readable, isReadable, inbox, kinds, actors, nodes } =
    context;
  const { policy, ledger, metrics, events, refusals, operators, dependencies, webConsole, activity } =
    context;
  const { authors } = context;
  const byName = tenantByName((tenant) => policy.tenants.resolve(tenant));
  return [
    ...healthRoutes({ store, readiness, dependencies, guard: operators.guard }),
    ...operatorRoutes({
      actors,
      store,
      readable,
      isReadable,
      states: statesOf(kinds),
      metrics,
      version,
      pendingNonces: ledger?.pendingNonces,
      inbox: inbox && (() => inbox.messages()),
      lastFault: activity.lastFault,
    }),
    ...eventRoutes(events, webConsole.staying, byName),
    ...refusalRoutes(refusals, byName),
    ...nodeRoutes(nodes),
    ...tenantRoutes({ store: readable, policy, authors, limits: tenantLimitsOf(config) }),
    exportRoute({ store, version, fingerprints: () => fingerprintsOf(config), now }),
    ...fleetRoutes(policy.fleet, byName),
    ...routesOfBoth(context, byName),
  ];
}

/** Routes that operators and tenants have: of deliveries, receivers, sources and the audit. */
function routesOfBoth(context: ServiceContext, byName: EdgeMiddleware): readonly Route[] {
  const { config, now, readable: store, identity, actors, dispatcher, senders, policy, publicUrl } = context;
  const { metrics, operators, receivers, auditLog, authors, sources } = context;
  const actions = createDeliveryActions({
    actors,
    store,
    dispatcher,
    now,
    onDiscarded: () => metrics.deliveries.deadLetterEnded('discarded'),
  });
  const changes = { actions, authors, body: shortBody(config.http.bodyLimit) };
  const { webhook } = senders;
  const testMessage = createTestMessages({ store, tenants: policy.tenants, publicUrl });
  const receiverActions = createReceiverActions({ store, deliveries: actions, webhook, testMessage, now });
  const shown = { receivers, actions: receiverActions, authors };
  const audit = { store, log: auditLog, now };
  const checks = [
    acceptJson,
    pathIds,
    tenantOrOperator({
      authenticated: authenticateOrSession(identity),
      tenants: policy.tenants,
      operators,
    }),
  ];
  return [operatorAudience(byName), tenantAudience(checks)].flatMap((audience) => [
    ...deliveryRoutes(audience, store),
    ...deliveryActionRoutes(audience, changes),
    ...receiverRoutes(audience, shown),
    ...sourceRoutes(audience, sources.reports),
    ...auditRoutes(audience, audit),
  ]);
}
