import type { SessionView } from '../../../src/console/shapes.js';
import { FormProblem } from '../forms/form-parts.js';
import { place, queryValue, withQuery } from '../router.js';
import { ended } from '../session.js';
import { Shape } from '../ui/badge.js';
import { Id } from '../ui/text.js';
import { wantedPage } from './wanted-page.js';

type Sso = NonNullable<SessionView['sso']>;

/** The service sends the browser here after a login at the provider that failed. */
const FAILED = 'sso';

/** The login at an OpenID provider: what is wrong with it, the choice of a tenant, and the link that begins it. */
export function SsoLogin({ problem, outcome }: Sso) {
  const shown = queryValue(FAILED) === '' ? null : outcome;
  const choices = shown?.tenants ?? [];
  return (
    <div class="sso">
      {shown !== null && choices.length === 0 && <FormProblem text={shown.message} />}
      {problem !== null && (
        <p class="end-note" role="status">
          <Shape tone="warn" />
          <span>{problem} Try again in a moment, or log in another way.</span>
        </p>
      )}
      {choices.length > 0 && (
        <>
          <p class="hint">{shown!.message}</p>
          {choices.map((tenant) => (
            <a key={tenant} class="button" href={startPath(tenant)}>
              <Id text={tenant} plain />
            </a>
          ))}
        </>
      )}
      <a class="button primary" href={startPath(tenantThatEnded())}>
        Log in with single sign-on
      </a>
    </div>
  );
}

/** Returns the address that begins a login and leads back to the page that is shown, or was wanted. */
function startPath(tenant: string | undefined): string {
  const { path, search } = place.value;
  const next = path === '/console/login' ? wantedPage() : path + search;
  return withQuery('/console/login/start', { next, tenant });
}

/** A person of several tenants whose session has ended goes on as the same one. */
function tenantThatEnded(): string | undefined {
  const who = ended.value;
  return who?.kind === 'tenant' ? who.tenantName : undefined;
}
