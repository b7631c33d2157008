import { ChoiceField, TextField } from '../ui/field.js';
import { bindings, type FormPartProps, GroupProblem } from './form-parts.js';
import {
  chosenService,
  hasTemplate,
  leftToReplace,
  type MessageFormDraft,
  receiverOf,
  SERVICES,
} from './message-form-draft.js';
import { NamedValues } from './named-values.js';

const HINTS: Readonly<Record<string, string>> = {
  mirzam: 'Each message is POSTed there, signed with the tenant’s webhook secret.',
  alertmanager: 'The address of an Alertmanager. A firing alert is sent again until it ends.',
};

/** Fields of where messages go, and in which form: a service fills its template and its headers. */
export function MessageFormFields(props: FormPartProps<MessageFormDraft>) {
  const { draft, errorOf, onChange } = props;
  const { service } = draft;
  const field = bindings(props);
  const left = leftToReplace(draft);
  return (
    <>
      <ChoiceField
        label="Send to"
        error={errorOf('format')}
        value={service}
        options={SERVICES}
        onChange={(chosen) => onChange(chosenService(draft, chosen))}
      />
      <TextField
        label={service === 'mirzam' ? 'Webhook URL' : 'URL'}
        {...field('url')}
        hint={HINTS[service] ?? 'Each message is POSTed there.'}
        inputMode="url"
        spellcheck={false}
        placeholder={
          receiverOf(draft)?.url ??
          (service === 'alertmanager' ? 'http://alertmanager:9093' : 'https://receiver.example.org/hook')
        }
      />
      {hasTemplate(draft) && (
        <>
          <TextField
            label="Template"
            {...field('body', 'template.body')}
            error={errorOf('template.body') ?? errorOf('template')}
            hint="Mustache over the members of a message. The documents “Receivers” and “Policy API” describe it."
            rows={8}
            spellcheck={false}
          />
          <TextField
            label="Content-Type"
            {...field('contentType', 'template.contentType')}
            spellcheck={false}
          />
        </>
      )}
      <HeaderFields headers={draft.headers} error={errorOf('headers')} onChange={onChange} />
      {left.length > 0 && (
        <p class="hint" role="status">
          To be replaced: {left.join(', ')}.
        </p>
      )}
    </>
  );
}

interface HeaderFieldsProps {
  readonly headers: MessageFormDraft['headers'];
  readonly error: string | undefined;
  readonly onChange: (part: Pick<MessageFormDraft, 'headers'>) => void;
}

/** Headers of each request. Folded unless there are some. */
function HeaderFields({ headers, error, onChange }: HeaderFieldsProps) {
  return (
    <details class="form-group" open={headers.length > 0 || error !== undefined}>
      <summary>Headers</summary>
      <p class="hint">Values are secrets: they are not shown again.</p>
      <GroupProblem text={error} />
      <NamedValues
        rows={headers}
        noun="header"
        nameField={{ label: 'Header', spellcheck: false, placeholder: 'Authorization' }}
        valueField={{ label: 'Value', spellcheck: false, placeholder: 'Bearer …' }}
        onChange={(rows) => onChange({ headers: rows })}
      />
    </details>
  );
}
