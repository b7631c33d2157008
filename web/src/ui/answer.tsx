/** The data of a query; without data a placeholder, a note that there is none, or the error. */
import type { ComponentChildren } from 'preact';
import { connection } from '../live.js';
import type { Query } from '../query.js';
import { Button } from './button.js';

interface EmptyProps {
  readonly title: string;
  readonly text?: ComponentChildren;
  /** Below the text. */
  readonly children?: ComponentChildren;
}

/** Nothing is there: what that means, and what to do. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

/** A failed reading: the API's message, and a button that tries again. */
export function Failed(props: { readonly message: string; readonly again?: () => void }) {
  return (
    <div class="failed" role="alert">
      <p>{props.message}</p>
      {props.again && <Button onClick={props.again}>Try again</Button>}
    </div>
  );
}

interface AnswerProps<T> {
  readonly query: Query<T>;
  readonly children: (data: T) => ComponentChildren;
}

/**
 * Shows the data of a query; before it is there a placeholder, and a failure beside older data. That the connection is
 * lost is said above the page already.
 */
export function Answer<T>({ query, children }: AnswerProps<T>) {
  const { data, reload } = query;
  const isSaid = query.error?.status === 0 && data !== undefined && connection.value.state === 'lost';
  const error = isSaid ? undefined : query.error;
  return (
    <>
      {error !== undefined && <Failed message={error.message} again={reload} />}
      {data !== undefined ? children(data) : error === undefined && <Loading />}
    </>
  );
}

/** The place of something that is on its way. It shows itself only after a moment. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="hidden">Loading</span>
      <span class="spinner" aria-hidden="true" />
    </div>
  );
}
