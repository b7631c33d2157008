import { ApiError } from '../../api.js';

/** Kinds of content that a transaction may have recorded, each with the member of the request that holds it. */
export const CONTENTS = {
  entity: { option: 'an entity (create, or an entry of a batch)', label: 'Entity, as it was sent' },
  fragment: { option: 'an update of attributes', label: 'Attributes, as they were sent' },
  query: { option: 'a query', label: 'Query, as the receipt has it' },
} as const;

/** A kind of content. */
export type Content = keyof typeof CONTENTS;

/** Errors by field; `form` is one that names no field. */
export type ClaimErrors = Readonly<
  Partial<Record<'transactionHash' | 'entityId' | 'content' | 'proof' | 'form', string>>
>;

/** A claim as it is typed. */
interface TypedClaim {
  readonly hash: string;
  readonly kind: Content;
  readonly entityId: string;
  readonly text: string;
  /** Empty: none. */
  readonly proof: string;
}

/** Returns what is missing, or is not JSON. */
export function faultsOf({ hash, kind, entityId, text, proof }: TypedClaim): ClaimErrors {
  const fault = jsonFault(text);
  const proofFault = proof === '' ? undefined : jsonFault(proof);
  return {
    ...(hash === '' && { transactionHash: 'The hash of the transaction is missing. The receipt has it.' }),
    ...(kind === 'fragment' && entityId === '' && { entityId: 'The id of the entity is missing.' }),
    ...(fault !== undefined && { content: fault }),
    ...(proofFault !== undefined && { proof: proofFault }),
  };
}

function jsonFault(text: string): string | undefined {
  if (text.trim() === '') return 'Paste the content that was sent.';
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Returns the body. The content goes as it was pasted: parsing and writing it again could change what is hashed. */
export function bodyOf({ hash, kind, entityId, text, proof }: TypedClaim): string {
  const about = kind === 'fragment' ? `"entityId":${JSON.stringify(entityId)},` : '';
  const proved = proof === '' ? '' : `,"proof":${proof}`;
  return `{"transactionHash":${JSON.stringify(hash)},${about}${JSON.stringify(kind)}:${text}${proved}}`;
}

/** Puts the API's message beside the field that it begins with. */
export function errorsIn(error: unknown): ClaimErrors {
  const message = error instanceof ApiError ? error.message : String(error);
  if (message.startsWith('transactionHash') || (error instanceof ApiError && error.status === 404))
    return { transactionHash: message };
  if (message.startsWith('entityId')) return { entityId: message };
  if (message.startsWith('proof')) return { proof: message };
  return Object.keys(CONTENTS).some((name) => message.startsWith(name))
    ? { content: message }
    : { form: message };
}
