import type { OpenApiExamples } from '../../src/openapi/open-api.js';
import type { Documented, DocumentReader } from './documented.js';

/** A request of an example, with the answer that the document promises. */
export interface Told {
  readonly name: string;
  readonly documented: Documented;
  /** Values of parameters by name. */
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly body: unknown;
  /** The media type of the body. */
  readonly type: string | undefined;
  readonly status: number;
  readonly answer: unknown;
}

/** Returns the examples in the order in which they are sent: those of DELETE last, in reverse. */
export function storyOf(reader: DocumentReader): readonly Told[] {
  const told = reader.operations.flatMap((documented) => examplesOf(documented, reader));
  const isLast = ({ documented: { method } }: Told): boolean => method === 'DELETE';
  return [...told.filter((one) => !isLast(one)), ...told.filter(isLast).toReversed()];
}

function examplesOf(documented: Documented, reader: DocumentReader): readonly Told[] {
  const { operation } = documented;
  return Object.keys(operation.responses).flatMap((status) => {
    const content = reader.answer(operation, Number(status))?.content ?? {};
    const examples = Object.values(content).find((one) => one.examples !== undefined)?.examples ?? {};
    return Object.entries(examples).map(([name, { value }]): Told => {
      const given = operation.parameters.filter((parameter) => parameter.examples?.[name] !== undefined);
      return {
        name,
        documented,
        parameters: new Map(given.map((one) => [one.name, one.examples![name]!.value])),
        ...bodyOf(operation.requestBody?.content ?? {}, name),
        status: Number(status),
        answer: value,
      };
    });
  });
}

function bodyOf(
  content: Readonly<Record<string, { readonly examples?: OpenApiExamples }>>,
  name: string,
): Pick<Told, 'type' | 'body'> {
  const [type, shown] = Object.entries(content).find(([, one]) => one.examples?.[name] !== undefined) ?? [];
  return { type, body: shown?.examples?.[name]?.value };
}
