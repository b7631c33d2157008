/** The formats in which the webhooks of a subscription are sent. */
export const FORMATS = ['mirzam', 'cloudevents', 'alertmanager', 'template'] as const;

export type MessageFormat = (typeof FORMATS)[number];

/** A template of the bodies of messages. */
export interface MessageTemplate {
  /** The Content-Type of the requests. */
  readonly contentType: string;
  /** A text with tags of Mustache. */
  readonly body: string;
}

/** How the webhooks of a subscription are sent. */
export interface MessageForm {
  /** Absent: `mirzam`, the message of the interface document. */
  readonly format?: Exclude<MessageFormat, 'mirzam'>;
  /** Headers of each request: by name, in the order of `sealedForm`, each value sealed (`HeaderSeal`). Absent: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Given with the format `template`. */
  readonly template?: MessageTemplate;
}

/** Returns the members of a form: those that are absent are no members of the result either. */
export function formOf({ format, headers, template }: MessageForm): MessageForm {
  return {
    ...(format === undefined ? {} : { format }),
    ...(headers === undefined ? {} : { headers }),
    ...(template === undefined ? {} : { template }),
  };
}

/** A form as people see it: of headers the names alone. */
export interface ShownForm extends Omit<MessageForm, 'headers'> {
  readonly headers?: readonly string[];
}

/** Returns a form as people see it. */
export function shownForm({ headers, format, template }: MessageForm): ShownForm {
  return {
    ...(format === undefined ? {} : { format }),
    ...(headers === undefined ? {} : { headers: Object.keys(headers) }),
    ...(template === undefined ? {} : { template }),
  };
}

/** True if messages are sent as the interface document has them. */
export function isPlain({ format, headers }: MessageForm): boolean {
  return format === undefined && headers === undefined;
}

/** True if two forms send the same. Names of headers are compared without case. */
export function sameForm(one: MessageForm, other: MessageForm): boolean {
  return isPlain(one) && isPlain(other) ? true : identityOf(one) === identityOf(other);
}

/** Returns a text that two forms share if they send the same. */
export function identityOf({ format, headers = {}, template }: MessageForm): string {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return JSON.stringify([format, named, template?.contentType, template?.body]);
}

/** The content of a request. */
export interface MessageContent {
  readonly contentType: string;
  readonly body: string;
}
