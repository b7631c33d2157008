import templates from '../../../docs/receivers.md';

/** How messages are sent to a well-known service. */
export interface ReceiverTemplate {
  /** Its name for people. */
  readonly name: string;
  /** What its address looks like. Parts in capitals are to be replaced. */
  readonly url: string;
  /** Headers that it needs, by name. Parts in capitals are to be replaced. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parts of the body that are to be replaced; `[]` for none. */
  readonly replace: readonly string[];
  readonly template: { readonly contentType: string; readonly body: string };
}

/** In the order of docs/receivers.md, from which scripts/receiver-templates.js reads them when the page is built. */
export const RECEIVER_TEMPLATES = templates as readonly ReceiverTemplate[];
