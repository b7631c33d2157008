import { useEffect, useState } from 'preact/hooks';
import type { TargetedInputEvent } from 'preact';
import type { QuietPreview } from '../../../../src/console/shapes.js';
import type { QuietView } from '../../../../src/policy/quiet/shapes.js';
import { ApiError, send } from '../../api.js';
import { bindings, FormButtons, type FormPartProps, FormProblem } from '../../forms/form-parts.js';
import { typedPatterns } from '../../forms/typed-patterns.js';
import { useForm } from '../../forms/use-form.js';
import { useQuery } from '../../query.js';
import { withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { ChoiceField, Field, TextField } from '../../ui/field.js';
import { counted } from '../../ui/number.js';
import { announce } from '../../ui/status.js';
import { Id } from '../../ui/text.js';
import { Moment } from './moment.js';
import { bodyOf, DAYS, draftOf, nameFor, newDraft, type QuietDraft, WHEN, type When } from './quiet-draft.js';
import { quietPath } from './quiet-path.js';

interface QuietFormProps {
  /** The tenant of the viewer, or that an operator filters by; empty: the operator names it. */
  readonly tenant: string;
  /** Patterns to begin with. */
  readonly servers: string;
  /** The quiet time to change; undefined: a new one is made. */
  readonly changed: QuietView | undefined;
  /** True if a tenant, by id or name, has a quiet time of this name. */
  readonly isTaken: (tenant: string, name: string) => boolean;
  /** Called after it was made, and when the viewer gives up. */
  readonly onDone: () => void;
}

const FIELDS = ['tenant', 'servers', 'rules', 'start', 'duration', 'timezone', 'rrule', 'comment', 'name'];
const LENGTHS = [
  ['1', 'One hour'],
  ['4', 'Four hours'],
  ['8', 'Eight hours'],
  ['24', 'One day'],
  ['168', 'Seven days'],
] as const;

/** The form that mutes servers by pattern: from now on, later, or again and again. */
export function QuietForm({ tenant: known, servers, changed, isTaken, onDone }: QuietFormProps) {
  const [draft, set] = useState(() =>
    changed === undefined ? newDraft(servers, browserZone(), Date.now()) : draftOf(changed),
  );
  const [tenant, setTenant] = useState(known);
  const change = (part: Partial<QuietDraft>): void => set((before) => ({ ...before, ...part }));
  const form = useForm(FIELDS, async () => {
    const name = draft.name.trim() === '' ? nameFor(draft, Date.now()) : draft.name.trim();
    if (tenant.trim() === '') throw new ApiError('tenant: is required', 400);
    if (changed === undefined && isTaken(tenant.trim(), name))
      throw new ApiError(
        'name: a quiet time of this name exists; choose another name, or change that one',
        409,
      );
    await send('PUT', quietPath(tenant.trim(), name), bodyOf(draft, Date.now()));
    announce(changed === undefined ? 'The quiet time is created.' : 'The quiet time is changed.');
    onDone();
  });
  const fields = { draft, errorOf: form.errorOf, onChange: change };
  const field = bindings(fields);
  return (
    <form {...form.attributes} aria-label={changed === undefined ? 'New quiet time' : 'Quiet time'}>
      <FormProblem text={form.errorOf('')} />
      {isOperator.value && changed === undefined && (
        <TextField
          label="Tenant (id or name)"
          error={form.errorOf('tenant')}
          spellcheck={false}
          value={tenant}
          onChange={setTenant}
        />
      )}
      <TextField
        label="Servers"
        {...field('servers')}
        hint="Ids of servers, * for any characters: web-*, db-1"
        spellcheck={false}
      />
      <TextField
        label="Rules (empty: all)"
        {...field('rules')}
        hint="Names of rules, with commas between them."
        spellcheck={false}
      />
      <ChoiceField
        label="When"
        value={draft.when}
        options={WHEN}
        onChange={(when) => change({ when: when as When })}
      />
      <TimeFields {...fields} />
      <TextField label="Comment (may be empty)" {...field('comment')} />
      {changed === undefined && (
        <TextField
          label="Name (may be empty)"
          {...field('name')}
          hint="Shown with each rule that it mutes. Letters, digits, _ and -. Empty: made of the servers and the time."
          spellcheck={false}
        />
      )}
      <Preview tenant={tenant.trim()} draft={draft} />
      <FormButtons busy={form.busy} action={changed === undefined ? 'Mute' : 'Save'} onCancel={onDone} />
    </form>
  );
}

function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** The fields of the chosen `when`. */
function TimeFields(props: FormPartProps<QuietDraft>) {
  const { draft, errorOf, onChange } = props;
  const { when } = draft;
  const field = bindings(props);
  if (when === 'now') {
    return <ChoiceField label="For" {...field('hours', 'duration')} options={LENGTHS} />;
  }
  const clock = (label: string, member: 'begin' | 'end' | 'dayBegin' | 'dayEnd', problem: string) => (
    <Field label={label} error={errorOf(problem)}>
      {(input) => (
        <input
          {...input}
          type={member === 'begin' || member === 'end' ? 'datetime-local' : 'time'}
          value={draft[member]}
          onInput={({ currentTarget }: TargetedInputEvent<HTMLInputElement>) =>
            onChange({ [member]: currentTarget.value })
          }
        />
      )}
    </Field>
  );
  return (
    <>
      {when === 'weekly' && <DayFields draft={draft} onChange={onChange} />}
      {when === 'rule' && (
        <TextField
          label="RRULE"
          {...field('rrule')}
          hint="A recurrence rule of RFC 5545, such as FREQ=MONTHLY;BYDAY=1SU for the first Sunday of each month."
          spellcheck={false}
        />
      )}
      <div class="form-row">
        {when === 'daily' || when === 'weekly' ? (
          <>
            {clock('From', 'dayBegin', 'start')}
            {clock('To', 'dayEnd', 'duration')}
          </>
        ) : (
          clock(when === 'rule' ? 'First from' : 'From', 'begin', 'start')
        )}
        {when === 'once' && clock('To', 'end', 'duration')}
        {when === 'rule' && (
          <TextField label="Hours each" {...field('hours', 'duration')} inputMode="decimal" />
        )}
      </div>
      <TextField
        label="Time zone"
        {...field('timezone')}
        hint="A name such as Europe/Berlin. Its daylight saving time applies."
        spellcheck={false}
      />
    </>
  );
}

function DayFields({ draft, onChange }: Pick<FormPartProps<QuietDraft>, 'draft' | 'onChange'>) {
  const { days } = draft;
  return (
    <fieldset class="form-group days">
      <legend>Days</legend>
      {DAYS.map(([day, name]) => (
        <label key={day} class="day">
          <input
            type="checkbox"
            checked={days.includes(day)}
            onChange={({ currentTarget }) =>
              onChange({
                days: DAYS.map(([one]) => one).filter((one) =>
                  one === day ? currentTarget.checked : days.includes(one),
                ),
              })
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Pause in typing after which the preview is asked for, ms. */
const TYPING_MS = 300;

/** What the form would mute, and when. */
function Preview({ tenant, draft }: { readonly tenant: string; readonly draft: QuietDraft }) {
  const [asked, ask] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => {
      const isWhole = tenant !== '' && typedPatterns(draft.servers).length > 0;
      ask(isWhole ? previewPath(tenant, draft) : undefined);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [tenant, draft]);
  return (
    <div class="quiet-preview" role="status">
      {asked === undefined ? (
        <p class="hint">
          Name {isOperator.value ? 'the tenant and its servers' : 'servers'} to see how many it mutes, and
          when.
        </p>
      ) : (
        <Previewed key={asked} path={asked} />
      )}
    </div>
  );
}

function previewPath(tenant: string, draft: QuietDraft): string {
  const { servers, start, duration, timezone, rrule } = bodyOf(draft, Date.now());
  return withQuery('/console/api/quiet/preview', {
    tenant: isOperator.value ? tenant : undefined,
    servers: servers.join(','),
    start,
    duration: duration === undefined ? undefined : String(duration),
    timezone,
    rrule,
  });
}

function Previewed({ path }: { readonly path: string }) {
  const { data, error } = useQuery<QuietPreview>(path);
  if (data === undefined) return <p class={error && 'error'}>{error?.message ?? 'Looking…'}</p>;
  const { fitting, first, servers, isWhole, next } = data;
  return (
    <>
      <p>
        <strong>
          {counted(fitting, 'server')} of {isWhole ? '' : 'the first '}
          {servers.toLocaleString('en')}
        </strong>
        {fitting > 0 && ': '}
        {first.map((id, i) => (
          <span key={id}>
            {i > 0 && ', '}
            <Id text={id} plain />
          </span>
        ))}
        {fitting > first.length && ', …'}{' '}
        {fitting === 0 && 'now. Servers that are created later are muted too.'}
      </p>
      {next.length === 0 ? (
        <p class="error">This quiet time is over already.</p>
      ) : (
        <ul>
          {next.map(({ from, to }) => (
            <li key={from}>
              <Moment at={from} /> to <Moment at={to} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
