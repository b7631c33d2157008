import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { Verdict } from '../../../../src/ledger/shapes.js';
import { sendText } from '../../api.js';
import { bindings } from '../../forms/form-parts.js';
import { focusFirstProblem } from '../../forms/use-form.js';
import { queryValue } from '../../router.js';
import { Button } from '../../ui/button.js';
import { ChoiceField, TextField } from '../../ui/field.js';
import { Page } from '../../ui/page.js';
import {
  bodyOf,
  type ClaimErrors,
  type Content,
  CONTENTS,
  errorsIn,
  faultsOf,
  type TypedClaim,
} from './claim.js';
import { ShownVerdict } from './verdict.js';

const KINDS = Object.entries(CONTENTS).map(([kind, { option }]) => [kind, option] as const);

/** Asks the chain whether a transaction has recorded some content. */
export function VerifyPage() {
  const [claim, setClaim] = useState<TypedClaim>(() => ({
    hash: queryValue('transaction'),
    kind: 'entity',
    entityId: '',
    text: '',
    proof: '',
  }));
  const [errors, setErrors] = useState<ClaimErrors>({});
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<{ readonly claim: TypedClaim; readonly verdict: Verdict }>();
  const change = (part: Partial<TypedClaim>): void => setClaim((before) => ({ ...before, ...part }));
  // An answer is about what was asked: it goes once a field has changed.
  const verdict = answer?.claim === claim ? answer.verdict : undefined;

  const verify = async (): Promise<ClaimErrors> => {
    const faults = faultsOf(claim);
    if (Object.keys(faults).length > 0) return faults;
    return sendText<Verdict>('POST', '/ledger/verify', bodyOf(claim)).then((answered) => {
      setAnswer({ claim, verdict: answered });
      return {};
    }, errorsIn);
  };
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    setAnswer(undefined);
    setBusy(true);
    const found = await verify();
    setBusy(false);
    setErrors(found);
    if (Object.keys(found).length > 0) focusFirstProblem(form);
  };

  const errorOf = (name: string): string | undefined => errors[name as keyof ClaimErrors];
  const field = bindings({ draft: claim, errorOf, onChange: change });

  return (
    <Page title="Verify" crumbs={[{ to: '/console/ledger', text: 'Ledger' }]}>
      <p class="lead">
        The service hashes what you paste and asks the chain for the contract’s event in the transaction. It
        reads its own store only for the proof of an entry in a batch.
      </p>
      <form class="form wide" noValidate onSubmit={(event) => void submit(event)}>
        {errors.form !== undefined && (
          <p class="failed" role="alert">
            {errors.form}
          </p>
        )}
        <TextField
          label="Hash of the transaction"
          {...field('hash', 'transactionHash')}
          class="mono"
          spellcheck={false}
          placeholder="0x…"
        />
        <ChoiceField
          label="What was recorded"
          value={claim.kind}
          options={KINDS}
          onChange={(kind) => change({ kind: kind as Content })}
        />
        {claim.kind === 'fragment' && (
          <TextField label="Id of the entity" {...field('entityId')} spellcheck={false} />
        )}
        <TextField
          label={CONTENTS[claim.kind].label}
          {...field('text', 'content')}
          hint="JSON. An array is compared entity by entity. The order of members, the blanks between them and the notation of numbers do not matter. Everything else does."
          class="mono"
          rows={12}
          spellcheck={false}
        />
        {claim.kind === 'entity' && (
          <TextField
            label="Proof of the entry (optional)"
            {...field('proof')}
            hint="For an entry of a batch that another service has recorded: the list “proof” of its receipt, as JSON."
            class="mono"
            spellcheck={false}
            placeholder='["0x…"]'
          />
        )}
        <Button type="submit" kind="primary" busy={busy}>
          Ask the chain
        </Button>
      </form>
      {/* Read aloud. */}
      <p class="hidden" role="status">
        {verdict !== undefined && (verdict.verified ? 'Verified' : `Not verified: ${verdict.reason ?? ''}`)}
      </p>
      {verdict !== undefined && (
        <ShownVerdict verdict={verdict} transactionHash={claim.hash.trim().toLowerCase()} />
      )}
    </Page>
  );
}
