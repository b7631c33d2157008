import type { NamedValue } from './named-values.js';
import { RECEIVER_TEMPLATES, type ReceiverTemplate } from './receiver-templates.js';

/** How messages are sent, as it is typed. */
export interface MessageFormDraft {
  readonly url: string;
  /** A value of `SERVICES`. */
  readonly service: string;
  readonly headers: readonly NamedValue[];
  readonly contentType: string;
  readonly body: string;
}

/** What messages are sent to, by the value of the choice: the formats, then the services with a template. */
export const SERVICES: readonly (readonly [value: string, words: string])[] = [
  ['mirzam', 'Webhook (Mirzam)'],
  ['cloudevents', 'CloudEvents'],
  ['alertmanager', 'Alertmanager'],
  ...RECEIVER_TEMPLATES.map(({ name }) => [name, name] as const),
  ['template', 'Own template'],
];

export const NEW_MESSAGE_FORM: MessageFormDraft = {
  url: '',
  service: 'mirzam',
  headers: [],
  contentType: 'application/json',
  body: '',
};

/** Fields of a form, as the service names them. */
export const MESSAGE_FORM_FIELDS = [
  'url',
  'format',
  'headers',
  'template',
  'template.contentType',
  'template.body',
];

/** True if a receiver is named, or a part of it: its address, its service or a header. */
export function namesReceiver({ url, service, headers }: MessageFormDraft): boolean {
  return url.trim() !== '' || service !== NEW_MESSAGE_FORM.service || headers.length > 0;
}

/** Returns the service with a template that a draft is for; undefined for a format. */
export function receiverOf({ service }: Pick<MessageFormDraft, 'service'>): ReceiverTemplate | undefined {
  return RECEIVER_TEMPLATES.find(({ name }) => name === service);
}

/** True if a draft has a template. */
export function hasTemplate({ service }: Pick<MessageFormDraft, 'service'>): boolean {
  return service === 'template' || receiverOf({ service }) !== undefined;
}

/** Returns the part of a draft that the choice of a service changes: its template, headers and address, in place of the ones before. */
export function chosenService(draft: MessageFormDraft, service: string): Partial<MessageFormDraft> {
  const before = Object.keys(receiverOf(draft)?.headers ?? {});
  const kept = draft.headers.filter(({ name }) => !before.includes(name));
  const receiver = receiverOf({ service });
  const added = Object.entries(receiver?.headers ?? {}).map(([name, value]) => ({ name, value }));
  const isTyped = draft.url !== '' && draft.url !== fixedUrl(receiverOf(draft));
  return {
    service,
    ...receiver?.template,
    headers: [...kept, ...added],
    ...(isTyped ? {} : { url: fixedUrl(receiver) }),
  };
}

/** Parts that are to be replaced. */
const SAMPLE = /\b[A-Z_]{2,}\b/;

/** Returns the address of a service that has the same one for everybody, else an empty one. */
function fixedUrl(receiver: ReceiverTemplate | undefined): string {
  return receiver === undefined || SAMPLE.test(receiver.url) ? '' : receiver.url;
}

/** Returns the parts in capitals of a service that a draft still has: they are to be replaced. */
export function leftToReplace({ service, url, body, headers }: MessageFormDraft): readonly string[] {
  const receiver = receiverOf({ service });
  if (receiver === undefined) return [];
  const inHeaders = Object.entries(receiver.headers).flatMap(([name, sample]) =>
    headers.some((one) => one.name === name && one.value === sample) ? [sample] : [],
  );
  return [
    ...(url === receiver.url && SAMPLE.test(url) ? ['the url'] : []),
    ...inHeaders.map((sample) => sample.split(' ').at(-1)!),
    ...receiver.replace.filter((part) => body.includes(part)),
  ];
}

/** Returns the members of a subscription (operation 15) that a draft says. */
export function messageFormBody(draft: MessageFormDraft): object {
  const { url, service, contentType, body } = draft;
  const typed = draft.headers.filter(({ name, value }) => name.trim() !== '' || value !== '');
  const headers = Object.fromEntries(typed.map(({ name, value }) => [name.trim(), value.trim()]));
  return {
    url: url.trim(),
    ...(service === 'mirzam' ? {} : { format: hasTemplate(draft) ? 'template' : service }),
    ...(typed.length === 0 ? {} : { headers }),
    ...(hasTemplate(draft) ? { template: { contentType: contentType.trim(), body } } : {}),
  };
}
