import type { TargetedMouseEvent, TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.js';
import { problemsIn, type Problems } from './problems.js';

const NO_PROBLEMS: Problems = new Map();

/**
 * Makes a form that sends to the service and shows its refusals. `fields`: the members that have a field. `send` sends what was typed; its `ApiError` becomes problems of
 * fields, and the first field with one gets the focus.
 */
export function useForm(fields: readonly string[], send: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const sending = useRef(false);

  const sendOnce = async (element: HTMLFormElement, work = send): Promise<void> => {
    if (sending.current) return;
    sending.current = true;
    setBusy(true);
    try {
      await work();
      setProblems(NO_PROBLEMS);
    } catch (error) {
      setProblems(problemsIn(messageOf(error), fields));
      focusFirstProblem(element);
    } finally {
      sending.current = false;
      setBusy(false);
    }
  };

  return {
    /** True while a request is under way. A second submit is ignored. */
    busy,
    /** The problem of a field; `''`: the problem of the whole form. undefined if there is none. */
    errorOf: (field: string) => problems.get(field),
    /** Attributes of the form element. */
    attributes: {
      class: 'form',
      noValidate: true,
      onSubmit(event: TargetedSubmitEvent<HTMLFormElement>) {
        event.preventDefault();
        void sendOnce(event.currentTarget);
      },
    },
    /** Returns the click handler of a button in the form that does other work with what was typed. */
    clickHandler: (work: () => Promise<void>) => (event: TargetedMouseEvent<HTMLButtonElement>) =>
      void sendOnce(event.currentTarget.form!, work),
  };
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return `The page failed: ${String(error)}`;
}

/**
 * Gives the focus to the first input with a problem, else to the problem of the whole form. Called after the problems are
 * set: they are rendered in a microtask, and the focus moves in the next one. A focus that moves in a later task would take
 * what is typed into another field meanwhile.
 */
export function focusFirstProblem(form: HTMLFormElement): void {
  queueMicrotask(() => {
    const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
    (field ?? form.querySelector<HTMLElement>('[data-problem]'))?.focus();
  });
}
