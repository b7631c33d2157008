import { consoleGroup } from '../console/routes.js';
import { identityRoutes } from '../embedded/identity-routes.js';
import { vaultGroup } from '../embedded/wallet/routes.js';
import { type App, createApp } from '../http/app.js';
import { authenticate, authenticateOrSession } from '../http/authentication.js';
import { jsonBytes } from '../http/body/body.js';
import type { OnRefused } from '../http/request-log.js';
import type { Route } from '../http/router.js';
import type { OpenIdentity } from '../identity/select.js';
import { ledgerGroups, withoutLedger } from '../ledger/http/routes.js';
import { openApiGroup, openApiRoutes } from '../openapi/routes.js';
import { operatorGroups } from '../operator/guard.js';
import { openBacktests } from '../policy/http/backtests.js';
import { openPolicyBodies } from '../policy/http/bodies.js';
import { factsRoutes, tenantOfFacts } from '../policy/http/facts-routes.js';
import { muteGroup, muteRoutes } from '../policy/http/mute/mute-routes.js';
import { policyRoutes } from '../policy/http/routes.js';
import type { MuteLinks } from '../policy/mute/mute-links.js';
import type { Policy } from '../policy/policy.js';
import { ALWAYS_ANSWERED, admissionOf, challengeOf } from './configured-parts.js';
import type { ConsoleHalf } from './console.js';
import { operatorHalf, type OperatorParts, shortBody } from './operator.js';
import type { SharedParts } from './shared-parts.js';

/** Composes the edge with the routes of all parts. */
export function appOf(
  shared: SharedParts,
  parts: OperatorParts & {
    readonly identity: OpenIdentity;
    readonly policy: Policy;
    readonly muteLinks: MuteLinks;
    readonly webConsole: ConsoleHalf;
  },
): { readonly app: App; readonly routes: readonly Route[] } {
  const { config, log, metrics, now, publicUrl } = shared;
  const { identity, policy, muteLinks, actors, ledger, webConsole } = parts;
  const { bodyLimit, batchLimit } = config.http;
  const body = jsonBytes({ limit: bodyLimit });
  const bodySettings = {
    hdd: config.facts.hddReading,
    metrics: config.metrics,
    windowMax: config.window.max,
  };
  const bodies = shared.closeOnStop(openPolicyBodies(bodySettings));
  const backtests = shared.closeOnStop(openBacktests({ ...bodySettings, gapS: config.window.gapS }));
  const authenticated = authenticate(identity);
  const onRefused: OnRefused = (request) => {
    const named = tenantOfFacts(request);
    if (named === undefined) return;
    const found = request.tenant ?? policy.tenants.remembered(named);
    const { path, status, message } = request;
    shared.refusals.add({ tenant: found ?? named, isKnown: found !== undefined, path, status, message });
  };
  const routes = withOpenApi(shared, [
    ...factsRoutes(policy, {
      auth: config.facts,
      authenticated,
      body,
      bodies,
      onEvaluated: metrics.rules.evaluated,
      onRefused,
      onIgnored: metrics.rules.ignored,
    }),
    ...policyRoutes({
      policy,
      authenticated: authenticateOrSession(identity),
      body,
      bodies,
      backtestBody: jsonBytes({ limit: batchLimit }),
      backtests,
      startedAt: now(),
      now,
      doc: () => `${publicUrl()}/docs/policy-api`,
      refuseTarget: (url) => shared.targets.refuse(url),
    }),
    ...muteRoutes({ mutes: policy.mutes, links: muteLinks, now }),
    ...(ledger?.routes(actors, authenticated) ?? withoutLedger()),
    ...(identity.issue === undefined ? [] : identityRoutes(identity.issue, shortBody(bodyLimit))),
    ...operatorHalf(shared, parts, webConsole.staying),
    ...webConsole.routes,
  ]);
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
      ...operatorGroups(shared.operators),
      consoleGroup,
      muteGroup,
      openApiGroup,
    ],
    sessions: webConsole.sessions,
    routes,
  });
  return { app, routes };
}

/** Adds the OpenAPI document, which describes all routes. */
function withOpenApi({ config, version }: SharedParts, routes: readonly Route[]): readonly Route[] {
  return [...routes, ...openApiRoutes({ version, windowMax: config.window.max, routes })];
}
