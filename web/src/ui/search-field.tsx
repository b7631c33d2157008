import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from './field.js';

/** Pause after the last key before the search begins, ms. */
const PAUSE_MS = 250;

interface SearchFieldProps {
  readonly label: string;
  /** An example. */
  readonly placeholder?: string | undefined;
  /** The text that is searched for now. */
  readonly value: string;
  /** Gets the text without blanks around it. */
  readonly onSearch: (text: string) => void;
}

/** An input that searches while the viewer types. */
export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // The browser's buttons change the search too. A blank that was just typed stays.
  useEffect(() => {
    if (typing.current === undefined) setText((typed) => (typed.trim() === value ? typed : value));
  }, [value]);
  useEffect(() => () => clearTimeout(typing.current), []);
  const search = (typed: string): void => {
    clearTimeout(typing.current);
    typing.current = undefined;
    const wanted = typed.trim();
    if (wanted !== value) onSearch(wanted);
  };
  return (
    <Field label={label}>
      {(input) => (
        <input
          {...input}
          type="search"
          placeholder={placeholder}
          value={text}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            const wanted = event.currentTarget.value;
            setText(wanted);
            clearTimeout(typing.current);
            typing.current = setTimeout(() => search(wanted), PAUSE_MS);
          }}
          onKeyDown={(event) => event.key === 'Enter' && search(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
