import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from '../open-api.js';
import type { Schema } from '../schema.js';
import { curlLine } from './curl-line.js';
import { type Html, html, type Shown, withCode } from '../../untrusted/html.js';
import { schemaText } from './schema-text.js';
import type { EntryGroup } from './shell.js';

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** Returns the entries of the reference for the list of contents. */
export function referenceEntries(document: OpenApiDocument): readonly EntryGroup[] {
  return document.tags.map(({ name }) => ({
    title: name,
    entries: operationsOf(document, name).map(({ operation }) => ({
      href: `#${operation.operationId}`,
      text: operation.summary,
    })),
  }));
}

/** Returns all operations by tag, and the schemas. */
export function reference(document: OpenApiDocument): Html {
  return html`<h1>API</h1>
    ${String(document.info['description'])
      .split('\n\n')
      .map((paragraph) => html`<p>${withCode(paragraph)}</p> `)}
    ${document.tags.map(
      ({ name, description }) =>
        html`<h2>${name}</h2>
          <p>${withCode(description)}</p>
          ${operationsOf(document, name).map((placed) => operationHtml(placed, document))}`,
    )}
    <h2 id="schemas">Schemas</h2>
    ${Object.entries(document.components.schemas).map(([name, schema]) => schemaHtml(name, schema as Schema))}`;
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
    <h3 id="${operationId}">${summary}</h3>
    <p class="call"><span class="method">${method}</span> ${path}</p>
    ${description === undefined ? undefined : html`<p>${withCode(description)}</p>`}
    <p class="quiet">${accessText(operation)}</p>
    ${
      parameters.length === 0
        ? undefined
        : html`<h4>Parameters</h4>
            ${parameterTable(operation)}`
    }
    ${
      requestBody === undefined
        ? undefined
        : html`<h4>Body</h4>
            ${contentHtml(requestBody.content)}`
    }
    <h4>Answer</h4>
    ${contentHtml(responses['200']?.content ?? {})}
    <h4>Other statuses</h4>
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
          html`<h4>Example: ${name.replaceAll('-', ' ')}</h4>
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
    <h3 id="schema-${name}">${name}</h3>
    ${typeof description === 'string' ? html`<p>${withCode(description)}</p>` : undefined}
    <pre tabindex="0"><code>${schemaText(schema)}</code></pre>
  </article> `;
}
