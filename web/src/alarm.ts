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

/** True while the sound is wanted and the browser plays none: it waits until the viewer has touched the page. */
export const blocked = signal(false);

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
  else blocked.value = false;
}

/** Plays the sound at each rise of the number of those in trouble. Called once. */
export function startAlarm(): void {
  if (sound.peek()) opened();
  // A touch of the page allows the sound that is wanted since an earlier visit.
  for (const touch of ['pointerdown', 'keydown'])
    document.addEventListener(touch, () => {
      if (blocked.peek()) void speaker?.resume();
    });
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

/** Returns the loudspeaker, and follows whether the browser lets it play. */
function opened(): AudioContext {
  if (speaker !== undefined) return speaker;
  const made = new AudioContext();
  const follow = (): void => {
    blocked.value = sound.peek() && made.state !== 'running';
  };
  made.addEventListener('statechange', follow);
  speaker = made;
  follow();
  return made;
}

/** A sound that the browser allows later than this is not played, ms: nobody could say what it is about. */
const LATE_MS = 1_000;

function play(): void {
  const audio = opened();
  const asked = performance.now();
  void audio.resume().then(() => {
    if (performance.now() - asked < LATE_MS) playTones(audio);
  });
}

function playTones(audio: AudioContext): void {
  for (const [i, tone] of TONES.entries()) {
    const from = audio.currentTime + i * TONE_S;
    const volume = new GainNode(audio, { gain: LOUDNESS });
    const oscillator = new OscillatorNode(audio, { frequency: tone });
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(from);
    oscillator.stop(from + TONE_S);
  }
}
