import { fileURLToPath } from 'node:url';
import { loadAssets } from '../console/assets.js';
import { createLogIn } from '../console/log-in.js';
import { consoleRoutes } from '../console/routes.js';
import { secureConnections } from '../console/session-cookie.js';
import type { SessionInfo } from '../console/session-routes.js';
import { createSessions } from '../console/sessions.js';
import { stayingSession, stayingViewer } from '../console/staying-viewer.js';
import { viewer, viewers } from '../console/viewer.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import type { ReadSession } from '../http/session.js';
import { durableSecret } from '../store/durable-secret.js';
import { embeddedTenants, embeddedUsers } from './configured-parts.js';
import { viewRoutes } from './console-views.js';
import { shortBody } from './operator.js';
import { hasDemo, type ConsoleParts } from './server-views.js';
import type { SharedParts } from './shared-parts.js';

/** The built page, `dist/web`. */
const PAGE_FOLDER = fileURLToPath(new URL('../../web', import.meta.url));

/** The console's half of the service. */
export interface ConsoleHalf {
  readonly routes: readonly Route[];
  /** Reads the session of a request. */
  readonly sessions: ReadSession;
  /** Ends the streams of a session with it. */
  readonly staying: EdgeMiddleware;
}

/** Opens the console. Throws a `StartError` if its page is not built. */
export async function openConsole(shared: SharedParts, parts: ConsoleParts): Promise<ConsoleHalf> {
  const { config, publicUrl, now } = shared;
  const { store, identity, inbox } = parts;
  const operatorToken = config.operator.token;
  const [secret, assets] = await Promise.all([durableSecret(store, 'console'), loadAssets(PAGE_FOLDER)]);
  const { trustedProxies } = config.admission;
  const isSecure = secureConnections({ publicUrl, trustedProxies });
  const sessions = createSessions({ secret, operatorToken, publicUrl, isSecure, now });
  const findViewer = viewers({
    identity,
    operatorToken,
    operators: shared.operators,
    seen: (tenant) => parts.policy.tenants.seen(tenant),
  });
  const routes = consoleRoutes({
    session: {
      sessions,
      logIn: createLogIn({ operatorToken, operators: shared.operators, identity }),
      findViewer,
      info: () => infoOf(shared, parts),
      tenants: embeddedTenants(config),
      isSecure,
      publicUrl,
      body: shortBody(config.http.bodyLimit),
    },
    views: viewRoutes(shared, parts, {
      viewer: viewer(findViewer),
      streamViewer: stayingViewer({ find: findViewer, sessions, now }),
    }),
    assets,
    inbox: inbox === undefined ? undefined : () => inbox.messages(),
  });
  return { routes, sessions: (req) => sessions.read(req), staying: stayingSession({ sessions, now }) };
}

function infoOf(shared: SharedParts, parts: ConsoleParts): SessionInfo {
  const { config, version, publicUrl } = shared;
  const { identity, inbox, ledger } = parts;
  return {
    logins: [
      ...(config.operator.token === undefined ? [] : (['operatorToken'] as const)),
      ...(identity.login === undefined ? [] : (['tenantPassword'] as const)),
      'tenantToken',
    ],
    development: !config.production,
    parts: { ledger: ledger !== undefined, inbox: inbox !== undefined, demo: hasDemo(shared) },
    version,
    publicUrl: publicUrl(),
    openLedger: config.ledger?.defaultAccount !== undefined && config.ledger.auth === 'open',
    demoUser: embeddedUsers(config).some((it) => [it.tenant, it.user, it.password].every(isDemo)),
    measurements: { auth: config.facts.auth, hdd: config.facts.hddReading },
  };
}

const isDemo = (text: string): boolean => text === 'demo';
