import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { SearchResultView, SearchView } from '../../src/console/shapes.js';
import { isThere, pages } from './pages.js';
import { useQuery } from './query.js';
import { navigate, pathTo, withQuery } from './router.js';
import { isOperator, session } from './session.js';
import { StateBadge } from './ui/badge.js';
import { Id } from './ui/text.js';
import { TenantName } from './ui/tenant-name.js';

export interface SearchFormProps {
  /** Called when a result is followed. */
  readonly onFollow: () => void;
  /** Returns what was typed before the field had the focus, once. */
  readonly takeEarly: () => string;
}

/** Pause after the last key before the service is asked, ms. */
const PAUSE_MS = 120;

/** A result that can be followed. */
interface Choice {
  readonly to: string;
  readonly result: SearchResultView | { readonly kind: 'page'; readonly label: string };
}

/** The field and the results. The arrows choose, Enter follows; the focus stays in the field. */
export function SearchForm({ onFollow, takeEarly }: SearchFormProps) {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const [chosen, choose] = useState(0);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useFound(asked);
  const isCurrent = asked === text.trim() && found.isCurrent;
  const choices = text.trim() === '' ? [] : [...pagesNamed(text.trim()), ...found.choices];
  const at = Math.min(chosen, choices.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const follow = ({ to }: Choice): void => {
    onFollow();
    navigate(to);
  };
  // What is shown when Enter is pressed may be about fewer letters than are typed.
  const entered = useRef(false);
  const followEntered = (): void => {
    if (!entered.current || !isCurrent) return;
    entered.current = false;
    if (choices[at] !== undefined) follow(choices[at]);
  };
  useEffect(followEntered, [isCurrent]);
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (choices.length === 0) return;
      choose((at + (event.key === 'ArrowDown' ? 1 : choices.length - 1)) % choices.length);
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      entered.current = true;
      followEntered();
    }
  };
  const said = saidOf(text.trim(), isCurrent, choices.length, found);
  return (
    <div class="search-form">
      <label for={`${id}-text`}>{isOperator.value ? OPERATOR_LABEL : LABEL}</label>
      <input
        ref={field}
        id={`${id}-text`}
        type="search"
        role="combobox"
        list={undefined}
        aria-expanded={choices.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={choices.length > 0 ? `${id}-${at}` : undefined}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onFocus={() => {
          const typed = takeEarly();
          if (typed !== '') setText((before) => typed + before);
        }}
        onInput={(event) => {
          setText(event.currentTarget.value);
          choose(0);
          entered.current = false;
        }}
        onKeyDown={pressed}
      />
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label="Results" hidden={choices.length === 0}>
        {choices.map((choice, i) => (
          <li
            key={choice.to}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => follow(choice)}
            onPointerMove={() => choose(i)}
          >
            <span class="kind">{choice.result.kind}</span>
            <Shown result={choice.result} />
          </li>
        ))}
      </ul>
      <p class="search-said" role="status">
        {said}
      </p>
    </div>
  );
}

const LABEL = 'Server, rule, entity, whole message id or transaction hash';
const OPERATOR_LABEL = 'Server, tenant, rule, entity, whole message id or transaction hash';

/** Returns what was found for a text. */
function useFound(text: string) {
  const path = withQuery('/console/api/search', { query: text });
  const { data, error } = useQuery<SearchView>(path);
  const answer = data?.query === text ? data : undefined;
  return {
    // Those of fewer letters stay until the answer is there.
    choices: (data?.results ?? []).map((result): Choice => ({ to: placeOf(result), result })),
    complete: answer?.complete ?? true,
    error,
    isCurrent: answer !== undefined || error !== undefined,
  };
}

/** Returns the pages of the navigation whose name begins with a text. */
function pagesNamed(text: string): readonly Choice[] {
  const begin = text.toLowerCase();
  return pages.flatMap((page): readonly Choice[] => {
    const { pattern, nav } = page;
    const isNamed = nav?.label.toLowerCase().startsWith(begin) === true && isThere(page, session.value!);
    return isNamed ? [{ to: pattern, result: { kind: 'page', label: nav.label } }] : [];
  });
}

function placeOf(result: SearchResultView): string {
  switch (result.kind) {
    case 'server':
      return pathTo('servers', result.tenantId, result.serverId);
    case 'tenant':
      return withQuery(pathTo('servers'), { tenant: result.tenantId });
    case 'rule':
      if (result.serverId !== null) return pathTo('servers', result.tenantId, result.serverId);
      return withQuery(pathTo('rules'), {
        tenant: isOperator.value ? result.tenantId : '',
        rule: result.ruleId,
      });
    case 'message':
      return pathTo('deliveries', result.id);
    case 'entity':
      return pathTo('ledger', 'entities', result.entityId);
    case 'transaction':
      return pathTo('ledger', 'receipts', result.transactionHash);
  }
}

function Shown({ result }: { readonly result: Choice['result'] }) {
  const ofTenant = (tenantId: string) => isOperator.value && <TenantName id={tenantId} />;
  switch (result.kind) {
    case 'page':
      return <>{result.label}</>;
    case 'server':
      return (
        <>
          <Id text={result.serverId} plain /> <StateBadge state={result.state} /> {ofTenant(result.tenantId)}
        </>
      );
    case 'tenant':
      return <Id text={result.name} plain />;
    case 'rule':
      return (
        <>
          <Id text={result.name} plain />{' '}
          {result.serverId !== null && (
            <>
              on <Id text={result.serverId} plain />{' '}
            </>
          )}
          {ofTenant(result.tenantId)}
        </>
      );
    case 'message':
      return (
        <>
          <Id text={result.id} plain /> <StateBadge state={result.state} />{' '}
          {result.serverId !== null && <Id text={result.serverId} plain />} {ofTenant(result.tenantId)}
        </>
      );
    case 'entity':
      return <Id text={result.entityId} plain />;
    case 'transaction':
      return (
        <>
          <Id text={result.transactionHash} plain /> {result.operation}
        </>
      );
  }
}

/** What is written below the results, and read aloud. */
function saidOf(
  text: string,
  isCurrent: boolean,
  count: number,
  { complete, error }: Pick<ReturnType<typeof useFound>, 'complete' | 'error'>,
): string {
  if (text === '') return 'A part of an id is enough. Hashes and message ids must be complete.';
  if (!isCurrent) return 'Searching …';
  if (error !== undefined) return error.message;
  if (count === 0) return complete ? 'Nothing found.' : 'Nothing found yet. Type more characters.';
  return complete ? `${count} found.` : `${count} shown. There may be more. Type more characters.`;
}
