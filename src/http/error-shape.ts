/** How the errors of an API are written. */
export interface ErrorShape {
  /** `title` is the HTTP phrase of `status`; `message` is for people and free of control characters. */
  render(status: number, title: string, message: string): RenderedError;
}

/** An error's body and its Content-Type. */
export interface RenderedError {
  readonly contentType: string;
  readonly body: string;
}

/** `{"error":{"message","code","title"}}` (policy §7). */
export const policyErrors: ErrorShape = {
  render: (status, title, message) => ({
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ error: { message, code: status, title } }),
  }),
};
