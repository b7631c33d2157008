/** How the messages of a subscription are sent, as people see it. Values of headers are secrets. */
export interface SubscriptionFormView {
  /** Absent: as the interface document has them. */
  readonly format?: 'cloudevents' | 'alertmanager' | 'template';
  /** Names of the headers; absent: none. */
  readonly headers?: readonly string[];
  /** Content-Type of a template. */
  readonly contentType?: string;
}
