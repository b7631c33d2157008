import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from '../open-api.js';
import type { Schema } from '../schema.js';
import { curlLine } from './curl-line.js';
import { type Html, html, type Shown, withCode } from '../../untrusted/html.js';
import { schemaText } from './schema-text.js';

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** A page of the reference. */
export interface ReferencePage {
  /** As in its path below /docs. */
  readonly name: string;
  readonly title: string;
  /** Its operations, or schemas. */
  readonly sections: readonly ReferenceSection[];
  /** Returns the page without its frame. */
  readonly main: () => Html;
}

/** An operation or a schema of the reference. */
export interface ReferenceSection {
  /** Its anchor. */
  readonly id: string;
  readonly title: string;
  /** Words beside its title by which it is found. */
  readonly text: string;
}

/** Returns the pages of the reference: one for each tag, and one with the schemas. */
export function referencePages(document: OpenApiDocument): readonly ReferencePage[] {
  const pages = document.tags.map(({ name, description }): ReferencePage => {
    const operations = operationsOf(document, name);
    return {
      name: `api/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
      title: name,
      sections: operations.map(
        ({ method, path, operation: { operationId, summary, description: more = '' } }) => ({
          id: operationId,
          title: summary,
          text: `${method} ${path} ${operationId} ${more}`,
        }),
      ),
      main: () =>
        html`<h1>${name}</h1>
          <p>${withCode(description)}</p>
          ${operations.map((placed) => operationHtml(placed, document))}`,
    };
  });
  const schemas = Object.entries(document.components.schemas) as readonly (readonly [string, Schema])[];
  const schemaPage: ReferencePage = {
    name: 'api/schemas',
    title: 'Schemas',
    sections: schemas.map(([name, { description }]) => ({
      id: `schema-${name}`,
      title: name,
      text: typeof description === 'string' ? description : '',
    })),
    main: () =>
      html`<h1>Schemas</h1>
        ${schemas.map(([name, schema]) => schemaHtml(name, schema))}`,
  };
  return [...pages, schemaPage];
}

/** Returns the first page: every operation with its method and path, by tag. */
export function referenceOverview(document: OpenApiDocument, pages: readonly ReferencePage[]): Html {
  return html`<h1>API and documents</h1>
    ${String(document.info['description'])
      .split('\n\n')
      .map((paragraph) => html`<p>${withCode(paragraph)}</p> `)}
    ${document.tags.map(
      ({ name, description }, i) =>
        html`<h2><a href="/docs/${pages[i]!.name}">${name}</a></h2>
          <p>${withCode(description)}</p>
          <ul class="operations">
            ${operationsOf(document, name).map(
              ({ method, path, operation: { operationId, summary } }) =>
                html`<li>
                  <a href="/docs/${pages[i]!.name}#${operationId}">${summary}</a>
                  <span class="call"><span class="method">${method}</span> ${path}</span>
                </li> `,
            )}
          </ul>`,
    )}`;
}

function operationsOf(document: OpenApiDocument, tag: string): readonly Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags[0] === tag)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function operationHtml({ method, path, operation }: Placed, document: OpenApiDocument): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  return html`<article class="operation" aria-labelledby="${operationId}">
    <h2 id="${operationId}">${summary}</h2>
    <p class="call"><span class="method">${method}</span> ${path}</p>
    ${description === undefined ? undefined : html`<p>${withCode(description)}</p>`}
    <p class="quiet">${accessText(operation)}</p>
    ${
      parameters.length === 0
        ? undefined
        : html`<h3>Parameters</h3>
            ${parameterTable(operation)}`
    }
    ${
      requestBody === undefined
        ? undefined
        : html`<h3>Body</h3>
            ${contentHtml(requestBody.content)}`
    }
    <h3>Answer</h3>
    ${contentHtml((responses['200'] ?? responses['202'])?.content ?? {})}
    <h3>Other statuses</h3>
    <ul>
      ${Object.entries(responses).map(([status, response]) => statusHtml(status, response, document))}
    </ul>
    ${examplesHtml(method, path, operation)}
  </article> `;
}

function accessText({ security }: OpenApiOperation): string {
  const ways = security.flatMap((one) => Object.keys(one));
  if (ways.length === 0) return 'Needs no token.';
  const open = security.some((one) => Object.keys(one).length === 0);
  return `${open ? 'May have' : 'Needs one of'}: ${ways.join(', ')}.`;
}

function parameterTable({ parameters }: OpenApiOperation): Html {
  return html`<div class="wide" tabindex="0">
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>In</th>
          <th>Value</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${parameters.map(
          (one) =>
            html`<tr>
              <td><code>${one.name}</code>${one.required === true ? '' : ' (optional)'}</td>
              <td>${one.in}</td>
              <td>${schemaText(one.schema)}</td>
              <td>${withCode(one.description ?? '')}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function contentHtml(content: Readonly<Record<string, { readonly schema: Schema }>>): Html {
  const types = Object.keys(content);
  const [first] = Object.values(content);
  return first === undefined
    ? html`<p>Nothing.</p>`
    : html`<p class="quiet">${types.join(' or ')}</p>
        <pre tabindex="0"><code>${schemaText(first.schema)}</code></pre>`;
}

function statusHtml(status: string, response: OpenApiResponse, { components }: OpenApiDocument): Shown {
  if (status === '200') return undefined;
  const name = response.$ref?.split('/').at(-1);
  const shown = name === undefined ? response : (components.responses[name] as OpenApiResponse);
  return html`<li><strong>${status}</strong> ${withCode(shown.description ?? '')}</li> `;
}

function examplesHtml(method: string, path: string, operation: OpenApiOperation): Shown {
  return Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) =>
      Object.entries(examples).map(
        ([name, { value }]) =>
          html`<h3>Example: ${name.replaceAll('-', ' ')}</h3>
            <pre tabindex="0"><code>${curlLine(method, path, operation, name)}</code></pre>
            <p class="quiet">Answer, ${status}:</p>
            <pre
              tabindex="0"
            ><code>${typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}</code></pre> `,
      ),
    ),
  );
}

function schemaHtml(name: string, schema: Schema): Html {
  const { description } = schema;
  return html`<article class="operation" aria-labelledby="schema-${name}">
    <h2 id="schema-${name}">${name}</h2>
    ${typeof description === 'string' ? html`<p>${withCode(description)}</p>` : undefined}
    <pre tabindex="0"><code>${schemaText(schema)}</code></pre>
  </article> `;
}
