import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.js';
import { type Assets, loadAssets } from '../console/assets.js';
import { createDemo } from '../console/demo/demo.js';
import { demoRoutes } from '../console/demo/demo-routes.js';
import { createLogIn } from '../console/log-in.js';
import { consoleRoutes } from '../console/routes.js';
import { secureConnections } from '../console/session-cookie.js';
import type { SessionInfo } from '../console/session-routes.js';
import { ssoRoutes, ssoState, type SsoOptions } from '../console/sso/sso-routes.js';
import { loginCookie } from '../console/sso/login-cookie.js';
import { createSessions, type Sessions } from '../console/sessions.js';
import type { OverviewView } from '../console/shapes.js';
import { streamSession, streamViewer } from '../console/stream-access.js';
import { tenantNames } from '../console/tenant-names.js';
import { viewer as viewerCheck, viewers } from '../console/viewer.js';
import { ledgerRoutes } from '../console/views/ledger-routes.js';
import { createOverview, type Overview } from '../console/views/overview.js';
import { sampleRates } from '../console/views/rates.js';
import { quietViewRoutes } from '../console/views/quiet-routes.js';
import { createSearch } from '../console/views/search.js';
import { serverRoutes } from '../console/views/server-routes.js';
import { createServerView } from '../console/views/server-view.js';
import { machineChart, statechartOf } from '../console/views/statechart.js';
import { createTroubledServers } from '../console/views/troubled-servers.js';
import { viewRoutes } from '../console/views/view-routes.js';
import { viewPermits } from '../console/views/view-permits.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import { CALLBACK_PATH, openIdProvider } from '../identity/openid-provider.js';
import { tenantByName } from '../operator/query.js';
import { SERVER } from '../policy/server/server-kind.js';
import { durableSecret } from '../store/durable-texts.js';
import { claimedTenant, embeddedTenants, embeddedUsers, shortBody } from './configured-parts.js';
import type { ConfiguredLedger, ServiceContext, WebConsole } from './context.js';

/** The built page, `dist/web`. */
const PAGE_FOLDER = fileURLToPath(new URL('../../web', import.meta.url));
/** The page, once it is read: the services of a process share it. */
let page: Assets | undefined;

type ConsoleContext = Omit<ServiceContext, 'webConsole'>;

/** Opens the console. Throws a `StartError` if its page is not built. */
export async function openConsole(context: ConsoleContext): Promise<WebConsole> {
  const { config, now, publicUrl, store, identity, inbox, policy, operators } = context;
  const operatorToken = config.operator.token;
  const secret = await durableSecret(store, 'console');
  page ??= loadAssets(PAGE_FOLDER);
  const { trustedProxies } = config.admission;
  const isSecure = secureConnections({ publicUrl, trustedProxies });
  const ssoSettings = config.oidc && JSON.stringify(config.oidc);
  const sessions = createSessions({ secret, operatorToken, ssoSettings, publicUrl, isSecure, now });
  const sso = ssoOf(context, { sessions, isSecure, secret });
  const findViewer = viewers({
    identity,
    operatorToken,
    operators,
    seen: (tenant) => policy.tenants.seen(tenant),
  });
  const routes = consoleRoutes({
    session: {
      sessions,
      logIn: createLogIn({ operatorToken, operators, identity }),
      sso: sso && ssoState(sso),
      findViewer,
      info: () => infoOf(context),
      tenants: () => tenantNames(context.readable, embeddedTenants(config)),
      isSecure,
      publicUrl,
      body: shortBody(config.http.bodyLimit),
    },
    views: [
      ...(sso === undefined ? [] : ssoRoutes(sso)),
      ...viewsOf(context, viewerCheck(findViewer), streamViewer({ find: findViewer, sessions, now })),
    ],
    assets: page,
    inbox: inbox && (() => inbox.messages()),
  });
  return { routes, sessions: (req) => sessions.read(req), staying: streamSession({ sessions, now }) };
}

/** Returns the parts of the login at the OpenID provider. undefined without one. */
function ssoOf(
  { config, log, now, publicUrl }: ConsoleContext,
  parts: {
    readonly sessions: Sessions;
    readonly isSecure: SsoOptions['isSecure'];
    readonly secret: Uint8Array;
  },
): SsoOptions | undefined {
  const { oidc } = config;
  if (oidc === undefined) return undefined;
  const provider = openIdProvider({
    ...oidc,
    redirectUri: () => `${publicUrl()}${CALLBACK_PATH}`,
    onChange: (problem) => {
      if (problem === undefined) log.info('the OpenID provider can be used again');
      else log.warn({ problem }, 'the OpenID provider cannot be used: nobody can log in there');
    },
    now,
  });
  provider.check();
  return {
    ...parts,
    provider,
    rules: { ...oidc, tenantOf: (value) => claimedTenant(config, value) },
    loginCookie: loginCookie({ ...parts, now }),
    sessionS: oidc.sessionS,
    publicUrl,
    onFailed: (message) => log.warn({ reason: message }, 'a login at the OpenID provider failed'),
  };
}

function infoOf({ config, version, publicUrl, identity, inbox, ledger }: ConsoleContext): SessionInfo {
  return {
    logins: [
      ...(config.operator.token === undefined ? [] : (['operatorToken'] as const)),
      ...(identity.login === undefined ? [] : (['tenantPassword'] as const)),
      'tenantToken',
    ],
    development: !config.production,
    parts: {
      ledger: ledger !== undefined,
      inbox: inbox !== undefined,
      demo: demoTenant(config) !== undefined,
    },
    version,
    publicUrl: publicUrl(),
    openLedger: config.ledger?.defaultAccount !== undefined && config.ledger.auth === 'open',
    demoUser: embeddedUsers(config).some((it) => [it.tenant, it.user, it.password].every(isDemo)),
    measurements: { auth: config.facts.auth, hdd: config.facts.hddReading },
  };
}

const isDemo = (text: string): boolean => text === 'demo';

/**
 * Returns the routes of the views and of the demo. `viewer` puts the viewer into `ctx.state`, `streamViewer` does so for a
 * live stream.
 */
function viewsOf(
  context: ConsoleContext,
  viewer: EdgeMiddleware,
  streamViewer: EdgeMiddleware,
): readonly Route[] {
  const { config, now, readable: store, inbox, kinds, actors, policy, ledger, events, activity } = context;
  const browse = ledger?.browse(actors);
  const scoped = config.ledger?.auth === 'token';
  const permit = viewPermits();
  const byName = tenantByName((tenant) => policy.tenants.resolve(tenant));
  const { machine } = kinds.find(({ name }) => name === SERVER)!;
  return [
    ...serverRoutes({
      policy,
      viewer,
      byName,
      permit,
      trend: config.trend,
      showServer: createServerView({ actors, policy, chart: statechartOf(machine) }),
      activity,
      now,
      body: shortBody(config.http.bodyLimit),
      refuseTarget: (url) => context.targets.refuse(url),
      webhook: context.senders.webhook,
    }),
    ...quietViewRoutes({ store, policy, viewer, permit, now }),
    ...demoOf(context, viewer),
    ...viewRoutes({
      viewer,
      streamViewer,
      byName,
      permit,
      overview: overviewOf(context),
      search: createSearch({ store, ledger: browse, scoped, now: () => performance.now() }),
      store,
      events,
      kinds: kinds.map(({ name, machine: one }) => ({
        kind: name,
        states: Object.keys(one.states),
        chart: machineChart(one),
      })),
      inbox: inbox && (() => inbox.messages()),
    }),
    ...ledgerRoutes({
      browse,
      scoped,
      viewer,
    }),
  ];
}

function overviewOf(context: ConsoleContext): Overview {
  const { now, closeOnStop, readable: store, policy, ledger, activity, refusals } = context;
  const { dependencies, receivers } = context;
  return createOverview({
    store,
    fleet: policy.fleet,
    troubledServers: createTroubledServers(store, policy.tenants),
    receivers,
    rates: closeOnStop(sampleRates(() => activity.totals(), now)),
    changes: (tenant) => activity.changes(tenant),
    refusedLastHour: () => refusals.lastHour(),
    ledger: ledger && (() => figuresOf(ledger)),
    dependencies,
    now,
  });
}

function figuresOf(ledger: ConfiguredLedger): NonNullable<OverviewView['ledger']> {
  const progress = ledger.chain.progress();
  return {
    head: progress?.head ?? null,
    blocksBehind: progress?.behind ?? null,
    pendingNonces: { count: ledger.pendingNonces().carried.length, more: false },
  };
}

/** Returns the tenant for which the demo is played: in development, one of the embedded identity. */
function demoTenant(config: Config) {
  return config.production ? undefined : embeddedTenants(config)[0];
}

function demoOf(
  { config, log, localUrl, closeOnStop, targets, policy, authors }: ConsoleContext,
  viewer: EdgeMiddleware,
): readonly Route[] {
  const tenant = demoTenant(config);
  if (tenant === undefined) return [];
  const demo = closeOnStop(
    createDemo({
      policy,
      tenant,
      localUrl,
      refuseTarget: (url) => targets.refuse(url),
      onError: (error) => log.error({ err: error }, 'the demo ended'),
    }),
  );
  return demoRoutes({ demo, authors, viewer, body: shortBody(config.http.bodyLimit) });
}
