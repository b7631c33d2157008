import { CopyButton } from './copy.js';
import { Cut } from './text.js';

/** Longest text that a block shows whole, characters. */
const SHOWN = 10_000;

interface CodeProps {
  readonly text: string;
  /** Says what it is, for screen readers and the copy button. */
  readonly label: string;
}

/** Preformatted text in a block that wraps and scrolls in itself, with a button that copies it. */
export function Code({ text, label }: CodeProps) {
  return (
    <div class="code">
      {/* A region that scrolls has to be reachable by keyboard. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>
          <Cut text={text} most={SHOWN} lines />
        </code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** A value as indented JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <Code text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />;
}
