import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Verdict } from '../../../../src/ledger/shapes.js';
import { sendText } from '../../api.js';
import { pathTo, queryValue } from '../../router.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Field, focusFirstError } from '../../ui/field.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { DetailList, Page } from '../../ui/page.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { bodyOf, type ClaimErrors, type Content, CONTENTS, errorsIn, faultsOf } from './claim.js';
import { Hash } from './hash.js';

/** Asks the chain whether a transaction has recorded some content. */
export function VerifyPage() {
  const form = useRef<HTMLFormElement>(null);
  const hash = useSignal(queryValue('transaction'));
  const kind = useSignal<Content>('entity');
  const entityId = useSignal('');
  const text = useSignal('');
  const proof = useSignal('');
  const errors = useSignal<ClaimErrors>({});
  const busy = useSignal(false);
  const verdict = useSignal<Verdict | undefined>(undefined);
  const edits = useRef(0);

  /** An answer is about what was asked: it goes once a field has changed. */
  const edited = (): void => {
    edits.current += 1;
    verdict.value = undefined;
  };

  const verify = async (): Promise<void> => {
    const claim = {
      hash: hash.value.trim(),
      kind: kind.value,
      entityId: entityId.value.trim(),
      text: text.value,
      proof: kind.value === 'entity' ? proof.value.trim() : '',
    };
    verdict.value = undefined;
    errors.value = faultsOf(claim);
    if (Object.keys(errors.value).length === 0) {
      busy.value = true;
      const asked = edits.current;
      try {
        const answer = await sendText<Verdict>('POST', '/ledger/verify', bodyOf(claim));
        if (asked === edits.current) verdict.value = answer;
      } catch (error) {
        errors.value = errorsIn(error);
      }
      busy.value = false;
    }
    if (form.current !== null && Object.keys(errors.value).length > 0) focusFirstError(form.current);
  };

  return (
    <Page title="Verify" crumbs={[{ to: '/console/ledger', text: 'Ledger' }]}>
      <p class="lead">
        The service hashes what you paste and asks the chain for the contract’s event in the transaction. Its
        own store has no part in the answer, but for the proof of an entry in a batch.
      </p>
      <form
        ref={form}
        class="form wide"
        noValidate
        onInput={edited}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy.value) void verify();
        }}
      >
        {errors.value.form !== undefined && (
          <p class="failed" role="alert">
            {errors.value.form}
          </p>
        )}
        <Field label="Hash of the transaction" error={errors.value.transactionHash}>
          {(input) => (
            <input
              {...input}
              class="mono"
              value={hash.value}
              spellcheck={false}
              autocomplete="off"
              placeholder="0x…"
              onInput={(event) => (hash.value = event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="What was recorded">
          {(input) => (
            <select
              {...input}
              value={kind.value}
              onChange={(event) => (kind.value = event.currentTarget.value as Content)}
            >
              {Object.entries(CONTENTS).map(([name, { option }]) => (
                <option key={name} value={name}>
                  {option}
                </option>
              ))}
            </select>
          )}
        </Field>
        {kind.value === 'fragment' && (
          <Field label="Id of the entity" error={errors.value.entityId}>
            {(input) => (
              <input
                {...input}
                value={entityId.value}
                spellcheck={false}
                onInput={(event) => (entityId.value = event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        <Field
          label={CONTENTS[kind.value].label}
          error={errors.value.content}
          hint="JSON. The order of members and the blanks between them do not count, nor how a number is written; everything else does."
        >
          {(input) => (
            <textarea
              {...input}
              class="mono"
              rows={12}
              spellcheck={false}
              value={text.value}
              onInput={(event) => (text.value = event.currentTarget.value)}
            />
          )}
        </Field>
        {kind.value === 'entity' && (
          <Field
            label="Proof of the entry (optional)"
            error={errors.value.proof}
            hint="For an entry of a batch that another service has recorded: the list “proof” of its receipt, as JSON."
          >
            {(input) => (
              <input
                {...input}
                class="mono"
                value={proof.value}
                spellcheck={false}
                autocomplete="off"
                placeholder='["0x…"]'
                onInput={(event) => (proof.value = event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        <Button type="submit" kind="primary" busy={busy.value}>
          Ask the chain
        </Button>
      </form>
      <p class="hidden" role="status">
        {verdict.value !== undefined && spoken(verdict.value)}
      </p>
      {verdict.value !== undefined && <Shown verdict={verdict.value} hash={hash.value.trim()} />}
    </Page>
  );
}

/** What is read aloud of an answer. */
function spoken({ verified, reason }: Verdict): string {
  return verified ? 'Verified' : `Not verified: ${reason ?? ''}`;
}

function Shown({ verdict, hash }: { readonly verdict: Verdict; readonly hash: string }) {
  const { verified, reason, operation, entityId, from, blockNumber, recordedAt } = verdict;
  return (
    <section class={verified ? 'verdict good' : 'verdict bad'} aria-label="Answer of the chain">
      <h2>
        <StateBadge
          state={verified ? 'verified' : 'refused'}
          text={verified ? 'Verified: the chain has recorded exactly this.' : 'Not verified.'}
        />
      </h2>
      {reason !== undefined && <Prose text={`${reason[0]!.toUpperCase()}${reason.slice(1)}.`} />}
      <DetailList
        rows={[
          ...(operation === undefined ? [] : [['Operation', operation] as const]),
          ...(entityId === undefined ? [] : [['Entity', <Id key="entity" text={entityId} />] as const]),
          ['Signed by', <Hash key="from" value={from} label="account" />],
          ['Block', blockNumber === null ? 'in no block' : <Num value={blockNumber} />],
          ['Recorded', <Time key="at" at={recordedAt} />],
          ['Hash of what you pasted', <Hash key="hash" value={verdict.hash} label="hash" />],
        ]}
      />
      <p>
        <Link to={pathTo('ledger', 'receipts', hash.toLowerCase())}>The receipt</Link>
      </p>
    </section>
  );
}
