import type { TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Login, SessionView } from '../../../src/console/shapes.js';
import { ApiError, logIn } from '../api.js';
import { FormProblem } from '../forms/form-parts.js';
import { hasDrafts } from '../forms/kept-draft.js';
import { policyPath } from '../forms/policy-paths.js';
import { navigate, place } from '../router.js';
import { ended, session } from '../session.js';
import { Shape } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Field } from '../ui/field.js';
import { Mark } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { Id } from '../ui/text.js';
import { SsoLogin } from './sso-login.js';
import { wantedPage } from './wanted-page.js';

type Way = SessionView['logins'][number];

const names: Readonly<Record<Way, string>> = {
  operatorToken: 'Operator',
  tenantPassword: 'Tenant',
  tenantToken: 'Token',
};

/** The login in place of the console, for somebody who has to log in first. Afterwards the page that was wanted is shown. */
export function LoginScreen() {
  return (
    <main class="login-screen">
      <div class="login-brand">
        <Mark />
        <span>Mirzam</span>
      </div>
      <Page title="Log in">
        <EndNote />
        <LoginForms />
      </Page>
      <p class="version">
        <span>Version {session.value!.version}</span> <a href="/docs">Documents</a>
      </p>
    </main>
  );
}

/** The page on which an operator of this machine logs in as a tenant, or a tenant as another one. */
export function LoginPage() {
  return (
    <Page title="Log in">
      <LoginForms />
    </Page>
  );
}

/** Says to somebody whose session has ended what that means for what was typed. */
function EndNote() {
  const who = ended.value;
  if (who === null) return null;
  return (
    <p class="end-note" role="alert">
      <Shape tone="warn" />
      <span>
        {who.kind === 'tenant' && hasDrafts(policyPath(who.tenantId)) ? (
          <>
            Your session has ended. What you typed was not sent, and is kept: it is there again once you have
            logged in as tenant <Id text={who.tenantName} plain />.
          </>
        ) : (
          'Your session has ended, and nothing was sent since. Log in again to continue.'
        )}
      </span>
    </p>
  );
}

/** The way of the last log-in of this page. */
let lastWay: Way | undefined;

/** Returns the way to log in that comes first: the last one, if it is of the viewer whose session has ended. */
function firstWay(logins: readonly Way[]): Way {
  const kind = ended.peek()?.kind;
  const likely = logins.filter(
    (way) => kind === undefined || (way === 'operatorToken') === (kind === 'operator'),
  );
  return likely.find((way) => way === lastWay) ?? likely[0] ?? logins[0] ?? 'operatorToken';
}

function LoginForms() {
  const { logins, sso } = session.value!;
  const [way, setWay] = useState(() => firstWay(logins));
  return (
    <div class="login">
      {sso !== null && (
        <>
          <SsoLogin {...sso} />
          <p class="or">or</p>
        </>
      )}
      {logins.length > 1 && (
        <div class="choice" role="group" aria-label="Log in as">
          {logins.map((name) => (
            <button key={name} type="button" aria-pressed={way === name} onClick={() => setWay(name)}>
              {names[name]}
            </button>
          ))}
        </div>
      )}
      <LoginForm key={way} way={way} />
    </div>
  );
}

/** Inputs of a way to log in: name in the form, label, type, and what browsers may fill in. */
const inputs: Readonly<Record<Way, readonly (readonly [string, string, 'text' | 'password', string])[]>> = {
  operatorToken: [['operatorToken', "Operator's token", 'password', 'current-password']],
  tenantPassword: [
    ['tenantName', 'Tenant', 'text', 'organization'],
    ['username', 'User', 'text', 'username'],
    ['password', 'Password', 'password', 'current-password'],
  ],
  tenantToken: [['token', "Tenant's token", 'password', 'off']],
};

const hints: Readonly<Record<Way, string>> = {
  operatorToken: 'The value of OPERATOR_TOKEN. It sees all tenants.',
  tenantPassword: 'Name, user and password at the identity service. You see this tenant only.',
  tenantToken: 'A token of the identity service, as sent in X-Auth-Token. You see its tenant only.',
};

function LoginForm({ way }: { readonly way: Way }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiError>();
  /** What is wrong beside what was typed: no answer, or a cookie that was not kept. */
  const problem = failure?.status === 0 ? failure.message : undefined;
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    const data = new FormData(event.currentTarget);
    const values = inputs[way].map(([name]) => [name, data.get(name)]);
    try {
      await logIn(Object.fromEntries(values) as Login);
      lastWay = way;
      if (place.peek().path === '/console/login') navigate(wantedPage(), { replace: true });
    } catch (error) {
      setFailure(error instanceof ApiError ? error : new ApiError(String(error), 0));
      form.current?.querySelector<HTMLInputElement>('input:last-of-type')?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form ref={form} class="form" onSubmit={(event) => void submit(event)}>
      <p class="hint">
        {hints[way]}
        {way === 'tenantPassword' && session.value!.demoUser && ' For a trial, all three are “demo”.'}
      </p>
      <FormProblem text={problem} />
      {inputs[way].map(([name, label, type, complete], index) => (
        <Field
          key={name}
          label={label}
          error={index === inputs[way].length - 1 && problem === undefined ? failure?.message : undefined}
        >
          {(input) => {
            const shared = { ...input, name, required: true, autoComplete: complete, spellcheck: false };
            return type === 'text' ? (
              <input {...shared} type="text" autoCapitalize="none" />
            ) : (
              <input {...shared} type="password" />
            );
          }}
        </Field>
      ))}
      <Button kind={session.value!.sso === null ? 'primary' : 'plain'} type="submit" busy={busy}>
        Log in
      </Button>
    </form>
  );
}
