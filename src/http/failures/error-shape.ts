import type { RefusalCode } from '../../errors.js';

/** How the errors of an API are written. */
export interface ErrorShape {
  render(error: ShownError): RenderedError;
}

/** What can be said of an error. */
export interface ShownError {
  readonly status: number;
  /** The HTTP phrase of `status`. */
  readonly title: string;
  /** For people, and free of control characters. */
  readonly message: string;
  /** Undefined for a fault in how HTTP itself was used. */
  readonly code: RefusalCode | undefined;
  /** What the refusal gives along for programs; a shape without room for it leaves it out. */
  readonly members: Readonly<Record<string, string>>;
}

/** An error's body, and the headers that go with its shape, Content-Type among them. */
export interface RenderedError {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `{"error":{"message","code","title"}}` (policy §7). */
export const policyErrors: ErrorShape = {
  render: ({ status, title, message }) => ({
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ error: { message, code: status, title } }),
  }),
};
