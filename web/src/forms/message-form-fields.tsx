import { ChoiceField, TextField } from '../ui/field.js';
import {
  chosenService,
  hasTemplate,
  leftToReplace,
  type MessageFormDraft,
  receiverOf,
  SERVICES,
} from './message-form-draft.js';
import { NamedValues } from './named-values.js';

interface MessageFormFieldsProps {
  readonly draft: MessageFormDraft;
  /** The problem of a field, named as the service names it. */
  readonly errorOf: (field: string) => string | undefined;
  readonly onChange: (part: Partial<MessageFormDraft>) => void;
}

const HINTS: Readonly<Record<string, string>> = {
  mirzam: 'Each message is POSTed there, signed with the tenant’s webhook secret.',
  alertmanager: 'The address of an Alertmanager. A firing alert is sent again until it ends.',
};

/** Fields of where messages go, and in which form: a service fills its template and its headers. */
export function MessageFormFields({ draft, errorOf, onChange }: MessageFormFieldsProps) {
  const { url, service, contentType, body } = draft;
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
        error={errorOf('url')}
        hint={HINTS[service] ?? 'Each message is POSTed there.'}
        inputMode="url"
        spellcheck={false}
        placeholder={
          receiverOf(draft)?.url ??
          (service === 'alertmanager' ? 'http://alertmanager:9093' : 'https://receiver.example.org/hook')
        }
        value={url}
        onInput={(text) => onChange({ url: text })}
      />
      {hasTemplate(draft) && (
        <>
          <TextField
            label="Template"
            error={errorOf('template.body') ?? errorOf('template')}
            hint="Mustache over the members of a message. The documents “Receivers” and “Policy API” describe it."
            rows={8}
            spellcheck={false}
            value={body}
            onInput={(text) => onChange({ body: text })}
          />
          <TextField
            label="Content-Type"
            error={errorOf('template.contentType')}
            spellcheck={false}
            value={contentType}
            onInput={(text) => onChange({ contentType: text })}
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
      {error !== undefined && (
        <p class="error" tabIndex={-1} aria-invalid="true">
          {error}
        </p>
      )}
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
