import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icons.js';
import { announce } from './status.js';
import { Id } from './text.js';

/** Copies a text to the clipboard. `label` says which one. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), 2_000);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      announce(`Copied: ${label}`);
    } catch {
      announce('The browser does not allow copying here.', 'bad');
    }
  };
  return (
    <button type="button" class="copy" aria-label={`Copy: ${label}`} title="Copy" onClick={() => void copy()}>
      <Icon name={done ? 'done' : 'copy'} />
    </button>
  );
}

/** An id or a url, with the button that copies it. */
export function CopiedId({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <>
      <Id text={text} /> <CopyButton text={text} label={label} />
    </>
  );
}
