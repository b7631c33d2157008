import { useState } from 'preact/hooks';
import { get, send } from '../../api.js';
import { policyPath } from '../../forms/policy-paths.js';
import { Failed } from '../../ui/answer.js';
import { Button } from '../../ui/button.js';
import { Code } from '../../ui/code.js';
import { Confirm } from '../../ui/dialog.js';
import { Section } from '../../ui/page.js';
import { announce } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { useTask } from '../../use-task.js';

interface Secret {
  readonly secret: string;
  readonly previous?: { readonly secret: string; readonly until: string };
}

/** The tenant's webhook secret: shown when asked for, replaced after a question. */
export function WebhookSecret({ tenantId }: { readonly tenantId: string }) {
  const [shown, show] = useState<Secret>();
  const reading = useTask();
  const [asking, ask] = useState(false);
  const path = policyPath(tenantId, 'webhook-secret');
  return (
    <Section title="Webhook secret">
      <p class="lead">
        It signs every webhook of the tenant, as the Standard Webhooks specification describes.
      </p>
      {reading.error !== undefined && <Failed message={reading.error} />}
      {shown !== undefined && (
        <div class="stack">
          <Code text={shown.secret} label="Webhook secret" />
          {shown.previous !== undefined && (
            <>
              <p class="hint">
                The previous secret signs too, until <Time at={shown.previous.until} />:
              </p>
              <Code text={shown.previous.secret} label="Previous webhook secret" />
            </>
          )}
        </div>
      )}
      <div class="button-row">
        {shown === undefined ? (
          <Button
            busy={reading.busy}
            onClick={() => void reading.run(async () => show(await get<Secret>(path)))}
          >
            Show the secret
          </Button>
        ) : (
          <Button onClick={() => show(undefined)}>Hide</Button>
        )}
        <Button onClick={() => ask(true)}>Make a new one</Button>
      </div>
      <Confirm
        open={asking}
        title="Make a new webhook secret?"
        action="Make a new secret"
        onClose={() => ask(false)}
        onConfirm={async () => {
          show(await send<Secret>('POST', path));
          announce('There is a new webhook secret.');
        }}
      >
        <p>For 24 hours both secrets sign each webhook, so that receivers can be updated one by one.</p>
      </Confirm>
    </Section>
  );
}
