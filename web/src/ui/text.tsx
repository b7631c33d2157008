/**
 * Text that others wrote: ids, names, messages. It is always text, isolated from the direction of its surroundings, and
 * characters that would mislead are written as escapes.
 */
import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

/** Control characters, marks of direction, characters without width, and halves of surrogate pairs. */
const MISLEADING =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Ids that are hashes or random. */
const MADE = /^[0-9a-f]{24,}$/;

/** Longest name in a place that takes no elements, longest id that is shown whole, and longest other text, characters. */
const NAME_SHOWN = 80;
const ID_SHOWN = 160;
const TEXT_SHOWN = 1_000;

/** Returns text in which misleading characters are elements with their code point. Line breaks stay if `lines`. */
function visible(text: string, lines = false): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const found of text.matchAll(MISLEADING)) {
    const [character] = found;
    if (lines && (character === '\n' || character === '\t')) continue;
    parts.push(text.slice(end, found.index), <span class="escape">{codePoint(character)}</span>);
    end = found.index + character.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** Returns the first characters of a text, without half of a surrogate pair at the end. */
function beginning(text: string, most: number): string {
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most);
}

/**
 * Returns a name for a place that takes no elements, such as an option, a label or a title: misleading characters are
 * code points, and `…` ends one of more than `most` characters.
 */
export function nameText(name: string, most = NAME_SHOWN): string {
  const shown = name.length > most ? `${beginning(name, most)}…` : name;
  return shown.replaceAll(MISLEADING, codePoint);
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** An id or a name. Where it is cut, the button shows the rest; `plain` omits the button, for text in a link. */
export function Id({ most = ID_SHOWN, ...text }: Pick<CutProps, 'text'> & Partial<CutProps>) {
  return (
    <bdi class="id" dir="auto">
      <Cut {...text} most={most} />
    </bdi>
  );
}

/** An id that the service made, of which the beginning tells enough; the whole is in the title. */
export function ShortId({ text }: { readonly text: string }) {
  if (!MADE.test(text)) return <Id text={text} plain />;
  return (
    <span class="id" title={text}>
      {text.slice(0, 8)}…
    </span>
  );
}

/** A longer text of somebody else, such as a message. Its line breaks are kept. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <bdi class="prose" dir="auto">
      <Cut text={text} most={TEXT_SHOWN} lines />
    </bdi>
  );
}

interface CutProps {
  readonly text: string;
  readonly most: number;
  readonly lines?: boolean;
  readonly plain?: boolean;
}

/** Text of which the beginning is shown until the viewer asks for all of it. */
export function Cut({ text, most, lines = false, plain = false }: CutProps) {
  const [whole, setWhole] = useState(false);
  if (text.length <= most) return <>{visible(text, lines)}</>;
  return (
    <>
      {visible(whole ? text : beginning(text, most), lines)}
      {!whole && '…'}{' '}
      {!plain && (
        <button type="button" class="link" onClick={() => setWhole(!whole)}>
          {whole ? 'show less' : `show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </>
  );
}
