import { useState } from 'preact/hooks';
import { ApiError, get, send } from '../../api.js';
import { secretPath } from '../../forms/policy-paths.js';
import { Failed } from '../../ui/answer.js';
import { Button } from '../../ui/button.js';
import { Code } from '../../ui/code.js';
import { Confirm } from '../../ui/dialog.js';
import { Section } from '../../ui/page.js';
import { announce } from '../../ui/status.js';
import { Time } from '../../ui/time.js';

interface Secret {
  readonly secret: string;
  readonly previous?: { readonly secret: string; readonly until: string };
}

/** The tenant's webhook secret: shown when asked for, replaced after a question. */
export function WebhookSecret({ tenantId }: { readonly tenantId: string }) {
  const [shown, show] = useState<Secret>();
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const [asking, ask] = useState(false);
  const path = secretPath(tenantId);

  const read = async (): Promise<void> => {
    setBusy(true);
    setError('');
    try {
      show(await get<Secret>(path));
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Section title="Webhook secret">
      <p class="lead">It signs every webhook of the tenant, as the Standard Webhooks specification has it.</p>
      {error !== '' && <Failed message={error} />}
      {shown !== undefined && <ShownSecret secret={shown} />}
      <div class="button-row">
        {shown === undefined ? (
          <Button busy={busy} onClick={() => void read()}>
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
        <p>
          For 24 hours the present secret signs beside the new one, so that receivers can be updated one by
          one.
        </p>
      </Confirm>
    </Section>
  );
}

function ShownSecret({ secret: { secret, previous } }: { readonly secret: Secret }) {
  return (
    <div class="stack">
      <Code text={secret} label="Webhook secret" />
      {previous !== undefined && (
        <>
          <p class="hint">
            The previous one signs too, until <Time at={previous.until} />:
          </p>
          <Code text={previous.secret} label="Previous webhook secret" />
        </>
      )}
    </div>
  );
}
