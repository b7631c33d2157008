import { useState } from 'preact/hooks';
import { send } from '../../api.js';
import { FormProblem } from '../../forms/form-parts.js';
import { policyPath } from '../../forms/policy-paths.js';
import { useForm } from '../../forms/use-form.js';
import { useQuery } from '../../query.js';
import { Answer } from '../../ui/answer.js';
import { Button } from '../../ui/button.js';
import { TextField, typedNumber } from '../../ui/field.js';
import { Section } from '../../ui/page.js';
import { announce } from '../../ui/status.js';

/** The number of values in the windows of a tenant's servers (operations 2 and 3). */
export function WindowSize({ tenantId }: { readonly tenantId: string }) {
  const query = useQuery<{ readonly windowsize: number }>(policyPath(tenantId));
  return (
    <Section title="Window size">
      <p class="lead">
        A window holds the newest values of a metric. A rule is evaluated once the windows of its metrics are
        full. By default it compares their means.
      </p>
      <Answer query={query}>
        {({ windowsize }) => <SizeForm tenantId={tenantId} size={windowsize} onDone={query.reload} />}
      </Answer>
    </Section>
  );
}

interface SizeFormProps {
  readonly tenantId: string;
  readonly size: number;
  readonly onDone: () => void;
}

function SizeForm({ tenantId, size, onDone }: SizeFormProps) {
  const [typed, type] = useState<string>();
  const text = typed ?? String(size);
  const form = useForm(['windowsize'], async () => {
    const windowsize = typedNumber(text);
    await send('PUT', policyPath(tenantId), { windowsize });
    type(undefined);
    announce(`Windows hold ${String(windowsize)} values now.`);
    onDone();
  });
  return (
    <form {...form.attributes} class="form inline-form" aria-label="Window size">
      <FormProblem text={form.errorOf('')} />
      <TextField
        label="Values in a window"
        error={form.errorOf('windowsize')}
        inputMode="numeric"
        value={text}
        onChange={type}
      />
      <Button type="submit" busy={form.busy} disabled={text === String(size)}>
        Save
      </Button>
    </form>
  );
}
