import { expect } from 'chai';
import type { SessionView } from '../../../src/console/shapes.js';
import type { Scene, Scenes } from '../../e2e/scene.js';
import { type HttpBrowser, httpBrowser, type Shown } from './http-browser.js';
import { type Person, type SpecProvider, startProvider } from './openid-provider.js';

/** The people at the provider of a spec. */
const PEOPLE: Readonly<Record<string, Person>> = {
  ann: { tenant: 'acme', preferred_username: 'ann@acme.example', name: 'Ann Acme' },
  bob: { tenant: ['acme', 'bolt'], name: 'Bob' },
  olga: { realm_access: { roles: ['user', 'mirzam-operator'] }, tenant: 'acme', name: 'Olga Operator' },
  zed: { name: 'Zed' },
};

/** A service with an OpenID provider. */
export interface SsoStage {
  readonly url: string;
  readonly provider: SpecProvider;
  readonly service: Scene;
  /** Opens a browser without cookies. */
  readonly browser: () => StageBrowser;
}

/** A browser at the service. */
export interface StageBrowser extends HttpBrowser {
  /** Begins a login and gives the name at the provider. Returns the answer with the redirect to the callback. */
  until: (name: string, query?: string) => Promise<string>;
  /** Logs in. Returns the last answer. */
  logIn: (name: string, query?: string) => Promise<Shown>;
  /** Returns the session. */
  session: () => Promise<SessionView>;
}

/** Starts provider and service. `settings` override those of the service. */
export async function ssoStage(
  open: Scenes,
  settings: Readonly<Record<string, string>> = {},
  options: { readonly thin?: boolean; readonly now?: () => number; readonly isDown?: boolean } = {},
): Promise<SsoStage> {
  const provider = open.keep(await startProvider(PEOPLE, options), (started) => started.close());
  const service = await open.service(
    { OPERATOR_TOKEN: 'let-the-operators-in', ...provider.settings, ...settings },
    options.now,
  );
  const { url } = service;
  if (options.isDown !== true) provider.serve(url);
  return { url, provider, service, browser: () => stageBrowser(url) };
}

function stageBrowser(url: string): StageBrowser {
  const browser = httpBrowser();
  const until = async (name: string, query = ''): Promise<string> => {
    const form = await browser.open(`${url}/console/login/start${query}`, isCallback);
    if (form.location !== undefined) return form.location;
    expect(form.text).to.contain('<h1>Provider</h1>');
    const entered = await browser.post(form.url, { name });
    const last = await browser.open(entered.location!, isCallback);
    expect(last.location, last.text).to.be.a('string');
    return last.location!;
  };
  return {
    ...browser,
    until,
    logIn: async (name, query) => browser.open(await until(name, query)),
    session: async () => JSON.parse((await browser.get(`${url}/console/api/session`)).text) as SessionView,
  };
}

function isCallback(url: string): boolean {
  return new URL(url).pathname === '/console/login/callback';
}
