import type { OverviewView } from '../../../../src/console/shapes.js';
import { session } from '../../session.js';
import { Code } from '../../ui/code.js';
import { Icon } from '../../ui/icons.js';
import { Section } from '../../ui/page.js';
import { linesOf } from './curl-lines.js';

/** What to do on an empty service: four steps with the lines to paste. Steps that are done say so. */
export function FirstSteps({ setup }: { readonly setup: OverviewView['setup'] }) {
  const { publicUrl, development, viewer } = session.value!;
  const tenantId = viewer?.kind === 'tenant' ? viewer.tenantId : development ? 'demo' : 'TENANT';
  const lines = linesOf({ publicUrl, tenantId, demoUser: development && tenantId === 'demo' });
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
      note: 'The first line starts a receiver that prints each webhook.',
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
    <Section title="First steps" note="Paste these lines into a shell, in this order.">
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
    </Section>
  );
}
