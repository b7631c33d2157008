/** A sound when more are in trouble than before: off unless the viewer wants it in this browser. */
import { effect, signal } from '@preact/signals';
import { inTrouble } from './in-trouble.js';

const KEY = 'mirzam-sound';

/** True if the viewer wants the sound. */
export const sound = signal(stored());

/** Two tones, Hz, and the length of one, s. */
const TONES = [660, 880] as const;
const TONE_S = 0.18;
const LOUDNESS = 0.15;

let speaker: AudioContext | undefined;

/** Turns the sound on or off, and keeps that in this browser. It is heard once when it is turned on. */
export function setSound(on: boolean): void {
  sound.value = on;
  try {
    if (on) localStorage.setItem(KEY, 'on');
    else localStorage.removeItem(KEY);
  } catch {
    // A browser that stores nothing plays it until the page is closed.
  }
  if (on) play();
}

/** Plays the sound at each rise of the number of those in trouble. Called once. */
export function startAlarm(): void {
  let before: number | undefined;
  effect(() => {
    const count = inTrouble.value?.count;
    if (count !== undefined && before !== undefined && count > before && sound.peek()) play();
    before = count;
  });
}

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) === 'on';
  } catch {
    return false;
  }
}

/** A browser plays nothing before the viewer has touched the page. */
function play(): void {
  speaker ??= new AudioContext();
  void speaker.resume();
  for (const [i, tone] of TONES.entries()) {
    const from = speaker.currentTime + i * TONE_S;
    const volume = new GainNode(speaker, { gain: LOUDNESS });
    const oscillator = new OscillatorNode(speaker, { frequency: tone });
    oscillator.connect(volume).connect(speaker.destination);
    oscillator.start(from);
    oscillator.stop(from + TONE_S);
  }
}
