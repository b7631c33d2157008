import { ApiError, messageOf } from '../../api.js';
import { jsonProblem } from '../../forms/condition-json.js';

/** Kinds of content that a transaction may have recorded, each with the member of the request that holds it. */
export const CONTENTS = {
  entity: {
    option: 'an entity, or entities of a batch',
    label: 'Entity, as it was sent, or an array of entities',
  },
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
export interface TypedClaim {
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
  const proofFault = hasProof(kind, proof) ? jsonFault(proof) : undefined;
  return {
    ...(hash.trim() === '' && {
      transactionHash: 'The hash of the transaction is missing. The receipt has it.',
    }),
    ...(kind === 'fragment' && entityId.trim() === '' && { entityId: 'The id of the entity is missing.' }),
    ...(fault !== undefined && { content: fault }),
    ...(proofFault !== undefined && { proof: proofFault }),
  };
}

function isArray(text: string): boolean {
  return text.trimStart().startsWith('[');
}

/** Only an entity may be an entry of a batch. */
function hasProof(kind: Content, proof: string): boolean {
  return kind === 'entity' && proof.trim() !== '';
}

function jsonFault(text: string): string | undefined {
  if (text.trim() === '') return 'Paste the content that was sent.';
  const problem = jsonProblem(text);
  return problem && `This is not JSON: ${problem}`;
}

/** Returns the body. The content goes as it was pasted: parsing and writing it again could change what is hashed. */
export function bodyOf({ hash, kind, entityId, text, proof }: TypedClaim): string {
  const about = kind === 'fragment' ? `"entityId":${JSON.stringify(entityId.trim())},` : '';
  const proved = hasProof(kind, proof) && !isArray(text) ? `,"proof":${proof}` : '';
  const member = kind === 'entity' && isArray(text) ? 'entities' : kind;
  return `{"transactionHash":${JSON.stringify(hash.trim())},${about}${JSON.stringify(member)}:${text}${proved}}`;
}

/** Puts the API's message beside the field that it begins with. */
export function errorsIn(error: unknown): ClaimErrors {
  const message = messageOf(error);
  if (error instanceof ApiError && error.status === 404) return { transactionHash: message };
  const field = ['transactionHash', 'entityId', 'proof'].find((name) => message.startsWith(name));
  const isContent = ['entities', ...Object.keys(CONTENTS)].some((name) => message.startsWith(name));
  return { [field ?? (isContent ? 'content' : 'form')]: message };
}
