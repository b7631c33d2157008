import type { ComponentProps } from 'preact';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { Icon } from '../ui/icons.js';

/** A name with a value, as it is typed. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

type RowField = Pick<ComponentProps<typeof TextField>, 'label' | 'placeholder' | 'spellcheck'>;

interface NamedValuesProps {
  readonly rows: readonly NamedValue[];
  /** What a row is, such as `label`. */
  readonly noun: string;
  readonly nameField: RowField;
  readonly valueField: RowField;
  readonly onChange: (rows: readonly NamedValue[]) => void;
}

/** Rows of a name and a value, with buttons that remove one and add one. */
export function NamedValues({ rows, noun, nameField, valueField, onChange }: NamedValuesProps) {
  const change = (index: number, part: Partial<NamedValue>): void =>
    onChange(rows.map((one, i) => (i === index ? { ...one, ...part } : one)));
  return (
    <>
      {rows.map(({ name, value }, index) => (
        <div class="label-row" key={index}>
          <TextField {...nameField} value={name} onChange={(text) => change(index, { name: text })} />
          <TextField {...valueField} value={value} onChange={(text) => change(index, { value: text })} />
          <Button
            kind="quiet"
            label={`Remove the ${noun} ${name}`}
            onClick={() => onChange(rows.filter((_, i) => i !== index))}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      <div class="button-row">
        <Button kind="quiet" onClick={() => onChange([...rows, { name: '', value: '' }])}>
          Add a {noun}
        </Button>
      </div>
    </>
  );
}
