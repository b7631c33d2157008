/** `note`: to know, nothing to do. `warning`: works, and is probably not meant. `fault`: broken. */
export type Grade = 'ok' | 'note' | 'warning' | 'fault';

/** Parts of a service that are examined. */
export type Part =
  | 'settings'
  | 'service'
  | 'store'
  | 'identity'
  | 'login'
  | 'broker'
  | 'mqtt'
  | 'mail'
  | 'chain'
  | 'contract'
  | 'account'
  | 'wallets'
  | 'traces'
  | 'PUBLIC_URL';

/** What is known about a part, in one line. */
export interface Finding {
  readonly part: Part;
  readonly grade: Grade;
  /** What is so, and what to do about it. Without secrets. */
  readonly text: string;
}

const finding =
  (grade: Grade) =>
  (part: Part, text: string): Finding => ({ part, grade, text: text.replaceAll(/\s*\n\s*/g, ' ') });

export const ok = finding('ok');
export const note = finding('note');
export const warning = finding('warning');
export const fault = finding('fault');

/** Returns a finding as a line, with columns for the grade and the part. */
export function lineOf({ part, grade, text }: Finding): string {
  return `${grade.padEnd(7)}  ${part.padEnd(10)}  ${text}\n`;
}
