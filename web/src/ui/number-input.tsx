import type { InputProps } from './field.js';

interface NumberInputProps {
  readonly input: InputProps;
  /** The keyboard of a phone: digits alone, or a fraction too. */
  readonly mode: 'numeric' | 'decimal';
  /** As it is typed: it may not be a number. */
  readonly value: string;
  /** What an empty input means. */
  readonly placeholder?: string;
  readonly onInput: (text: string) => void;
}

/** An input for a number that is kept as it is typed. */
export function NumberInput({ input, mode, value, placeholder, onInput }: NumberInputProps) {
  return (
    <input
      {...input}
      type="text"
      inputMode={mode}
      autocomplete="off"
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

const DECIMAL = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?\s*$/i;

/** Returns the number that is typed. Any other text is returned as it is: the service says what is wrong with it. */
export function typedNumber(text: string): number | string {
  return DECIMAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}
