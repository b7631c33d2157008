import type { OverviewView } from '../../../../src/console/shapes.js';
import { pathTo } from '../../router.js';
import { session } from '../../session.js';
import { Code } from '../../ui/code.js';
import { Icon } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { Section } from '../../ui/page.js';
import { linesOf } from '../../curl/first-steps.js';
import { AUTH_HEADERS } from '../../curl/measurements.js';

type Setup = OverviewView['setup'];

/** The first steps on an empty service, with the lines to paste. Steps that are done say so. */
export function FirstSteps({ setup }: { readonly setup: Setup }) {
  return (
    <Section title="First steps" note={NOTE}>
      <p class="lead">
        Or make a server with its first rule in a form:{' '}
        {session.value!.viewer?.kind === 'tenant' ? (
          <>
            “New server” on the page <Link to={pathTo('servers')}>Servers</Link>.
          </>
        ) : (
          <>
            <Link to="/console/login">log in as a tenant</Link>, then “New server” on the page Servers.
          </>
        )}
      </p>
      <Steps setup={setup} />
    </Section>
  );
}

/** The same steps for a service that has rules and measurements already, such as those of the demo. */
export function FoldedSteps() {
  return (
    <details class="lines">
      <summary>Make a rule of your own with curl</summary>
      <p class="hint">{NOTE}</p>
      <Steps setup={{ rules: false, subscriptions: false, facts: false }} />
    </details>
  );
}

const NOTE = 'Paste these lines into a shell, in this order.';

function Steps({ setup }: { readonly setup: Setup }) {
  const { publicUrl, demoUser, viewer, measurements, development } = session.value!;
  const ofDemo = demoUser && (viewer?.kind !== 'tenant' || viewer.tenantName === 'demo');
  const tenantId = viewer?.kind === 'tenant' ? viewer.tenantId : ofDemo ? 'demo' : 'TENANT';
  const lines = linesOf({
    publicUrl,
    tenantId,
    demoUser: ofDemo,
    auth: AUTH_HEADERS[measurements.auth],
    localReceiver: development,
  });
  const steps = [
    { title: 'Get a token', text: lines.token, done: false },
    {
      title: 'Make a rule for a server',
      note: 'It holds when the mean of the last five values of cpu is greater than 85.',
      text: lines.rule,
      done: setup.rules,
    },
    {
      title: 'Subscribe a receiver to it',
      note: development
        ? 'The first line starts a receiver that prints each webhook.'
        : 'A receiver takes webhooks by POST, at an address that the service may call: a public one, or an origin in WEBHOOK_TARGETS.',
      text: lines.subscription,
      done: setup.subscriptions,
    },
    {
      title: 'Send five measurements',
      note: 'The fifth fills the window, and the rule fires: this page shows it.',
      text: lines.facts,
      done: setup.facts,
    },
  ];
  return (
    <ol class="steps">
      {steps.map(({ title, note, text, done }, index) => (
        <li key={title} class={done ? 'done' : ''}>
          <span class="step-number" aria-hidden="true">
            {done ? <Icon name="done" /> : index + 1}
          </span>
          <div class="step">
            <h3>
              {title}
              {done && <span class="quiet-text"> (done)</span>}
            </h3>
            {note !== undefined && <p class="hint">{note}</p>}
            <Code text={text} label={title} />
          </div>
        </li>
      ))}
    </ol>
  );
}
