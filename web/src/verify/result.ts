import { unprovenText } from '../../../src/ledger/proof-file/proof-text.js';
import { EXPECTED, type ProofStep, type ProofVerdict } from '../../../src/ledger/proof-file/proof-verdict.js';

type Child = Node | string;

function element(
  name: string,
  properties: Readonly<Record<string, string>>,
  ...children: Child[]
): HTMLElement {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(properties)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

function show(...children: Child[]): void {
  document.querySelector('#result')!.replaceChildren(...children);
}

/** Shows why nothing can be verified; nothing for an empty text. */
export function showFault(text: string): void {
  show(...(text === '' ? [] : [element('p', { class: 'bad' }, text)]));
}

/** Shows each step, what is proven and what is left to trust. */
export function showVerdict(verdict: ProofVerdict): void {
  const steps = element('ol', { class: 'steps' }, ...verdict.steps.map(stepItem));
  if (!verdict.verified) {
    const { name } = verdict.steps.at(-1)!;
    show(element('h2', { class: 'bad' }, `NOT VERIFIED: the step ${name} fails`), steps);
    return;
  }
  show(
    element('h2', { class: 'good' }, `VERIFIED under the block hash ${verdict.proven.blockHash}`),
    factList(verdict),
    steps,
  );
}

function stepItem({ name, ok, text }: ProofStep): HTMLElement {
  const mark = element('span', { class: ok ? 'mark good' : 'mark bad' }, ok ? 'ok' : 'refused');
  return element('li', {}, mark, ' ', element('b', {}, name), ' ', text);
}

function factList({ proven, unproven, trusted }: Extract<ProofVerdict, { verified: true }>): HTMLElement {
  const facts: readonly (readonly [string, string])[] = [
    ['Entity', proven.entityId],
    ['Signer', proven.from],
    ['Contract', proven.contract],
    ['Chain', String(proven.chainId)],
    ['Transaction', proven.transactionHash],
    ['Block', String(proven.blockNumber)],
    ['Recorded at', `${proven.recordedAt}, the time in the header of the block`],
    ['Only the file says', unprovenText(unproven)],
    ...EXPECTED.map(
      ([name, words]) =>
        [trusted.includes(name) ? 'Left to trust' : 'As given', `${words} ${proven[name]}`] as const,
    ),
  ];
  return element(
    'dl',
    {},
    ...facts.flatMap(([name, text]) => [element('dt', {}, name), element('dd', {}, text)]),
  );
}
