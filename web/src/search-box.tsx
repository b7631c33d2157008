/** The search over everything: `/` or Ctrl-K anywhere, or the button in the frame. */
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchFormProps } from './search-form.js';
import { Button } from './ui/button.js';
import { Dialog } from './ui/dialog.js';
import { Icon } from './ui/icons.js';
import { announce } from './ui/status.js';

/** Elements in which `/` is a letter. */
const TYPED_IN = 'input, textarea, select, [contenteditable]';

/** The button of the search, and its dialog, whose content is loaded when it is first opened. */
export function SearchBox() {
  const [open, setOpen] = useState(false);
  const [Form, setForm] = useState<ComponentType<SearchFormProps>>();
  /** What is typed before the field has the focus; undefined: it has. */
  const early = useRef<string | undefined>(undefined);
  const takeEarly = (): string => {
    const typed = early.current ?? '';
    early.current = undefined;
    return typed;
  };
  const close = (): void => {
    takeEarly();
    setOpen(false);
  };
  const show = (): void => {
    early.current = '';
    setOpen(true);
    import('./search-form.js').then(
      (module) => setForm(() => module.SearchForm),
      () => {
        close();
        announce('The search could not be loaded: the service does not answer, or was updated.', 'bad');
      },
    );
  };
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (early.current !== undefined) {
        const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
        if (!isLetter) return;
        early.current += event.key;
        event.preventDefault();
        return;
      }
      // Another dialog waits for an answer.
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      const isCommand = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
      const isTyping = event.target instanceof Element && event.target.closest(TYPED_IN) !== null;
      if (!isCommand && !(isSlash && !isTyping)) return;
      event.preventDefault();
      show();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  return (
    <>
      <span class="search-button">
        <Button kind="quiet" label="Search" onClick={show}>
          <Icon name="search" /> <span>Search</span> <kbd aria-hidden="true">/</kbd>
        </Button>
      </span>
      <Dialog open={open} title="Search" onClose={close}>
        {Form !== undefined && <Form onFollow={close} takeEarly={takeEarly} />}
      </Dialog>
    </>
  );
}
