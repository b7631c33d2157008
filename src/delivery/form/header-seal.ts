import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { formOf, type MessageForm } from './formats.js';

/** A form as its owner gives it: with the values of headers. */
export interface OpenForm extends Omit<MessageForm, 'format'> {
  readonly format?: MessageForm['format'] | 'mirzam';
}

/** Seals and opens the values of headers. */
export type HeaderSeal = ReturnType<typeof createHeaderSeal>;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Makes the seal of the values of headers (docs/adr/0057-forms-of-messages.md). Documents, messages, and all that is read from
 * them have sealed values: only who sends a message opens them. Equal values of one tenant and name are sealed equally, so that
 * two forms can be compared. `key`: 32 bytes that are in the store, not in the settings.
 */
export function createHeaderSeal(key: Uint8Array) {
  const keyOf = (tenant: string, use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, '', JSON.stringify(['mirzam headers', use, tenant]), 32));

  const seal = (tenant: string, name: string, value: string): string => {
    // Derived from what it seals: the same nonce never seals two values.
    const nonce = createHmac('sha256', keyOf(tenant, 'nonce'))
      .update(`${name}\n${value}`)
      .digest()
      .subarray(0, NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, keyOf(tenant, 'value'), nonce).setAAD(Buffer.from(name));
    const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  };

  return {
    /** Returns the form to be stored: its members alone, the headers sealed and ordered by name. */
    form(tenant: string, { format, headers = {}, template }: OpenForm): MessageForm {
      const sealed = Object.entries(headers)
        .map(([name, value]) => [name, seal(tenant, name.toLowerCase(), value)] as const)
        .toSorted(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
      return formOf({
        format: format === 'mirzam' ? undefined : format,
        headers: sealed.length === 0 ? undefined : Object.fromEntries(sealed),
        template,
      });
    },

    /** Returns the headers with their values, names in lower case. Throws if another key has sealed them. */
    open(tenant: string, headers: NonNullable<MessageForm['headers']>): Readonly<Record<string, string>> {
      const key = keyOf(tenant, 'value');
      return Object.fromEntries(
        Object.entries(headers).map(([written, sealed]) => {
          const name = written.toLowerCase();
          const bytes = Buffer.from(sealed, 'base64url');
          const rest = NONCE_BYTES + TAG_BYTES;
          const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
            .setAAD(Buffer.from(name))
            .setAuthTag(bytes.subarray(NONCE_BYTES, rest));
          return [name, decipher.update(bytes.subarray(rest), undefined, 'utf8') + decipher.final('utf8')];
        }),
      );
    },
  };
}
