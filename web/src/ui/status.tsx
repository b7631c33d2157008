/** Announcements: a text that is read aloud, and shown for a while at the edge of the page. */
import { signal } from '@preact/signals';
import { Icon } from './icons.js';
import { Shape, type Tone } from './badge.js';

interface Message {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
}

const SHOWN_MS = 6_000;

const messages = signal<readonly Message[]>([]);
let last = 0;

/** Shows a message in place of those that say the same. One with the tone `bad` stays until the viewer closes it. */
export function announce(text: string, tone: Tone = 'good'): void {
  last += 1;
  const id = last;
  const others = messages.value.filter((it) => it.text !== text);
  messages.value = [...others, { id, text, tone }];
  if (tone !== 'bad') setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  messages.value = messages.value.filter((message) => message.id !== id);
}

/** The region of the messages. The frame has it once. */
export function StatusRegion() {
  return (
    <div class="status-region" role="status" aria-live="polite">
      {messages.value.map(({ id, text, tone }) => (
        <div key={id} class="status-message">
          <Shape tone={tone} />
          <span>{text}</span>
          <button type="button" class="copy" aria-label="Close this message" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
