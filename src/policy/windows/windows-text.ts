import type { Window, Windows } from './window.js';

/** Returns the text of `JSON.stringify(windows)` in half the time. Every fact writes it. */
export function windowsText({ cpu, mem, hdd, net, others, unkept }: Windows): string {
  const four = `{"cpu":${windowText(cpu)},"mem":${windowText(mem)},"hdd":${windowText(hdd)},"net":${windowText(net)}`;
  const more = others === undefined ? four : `${four},"others":${JSON.stringify(others)}`;
  return unkept === undefined ? `${more}}` : `${more},"unkept":${JSON.stringify(unkept)}}`;
}

function windowText({ values, at, emptied: pause, told, ahead }: Window): string {
  // In this order: a text that begins short is copied less often.
  let text = '{"values":[';
  for (let i = 0; i < values.length; i += 1) {
    text += i === 0 ? percentText(values[i]!) : `,${percentText(values[i]!)}`;
  }
  text += `],"at":${at}`;
  if (pause !== undefined) text += `,"emptied":{"at":${pause.at},"pause":${pause.pause}}`;
  if (told !== undefined) text += `,"told":${told}`;
  return ahead === undefined ? `${text}}` : `${text},"ahead":${ahead}}`;
}

/** Texts of whole hundredths, each made on its first use. Most measurements have two decimals at most. */
const HUNDREDTHS: string[] = [];

/** `value` is from 0 to 100. */
function percentText(value: number): string {
  const hundredths = Math.round(value * 100);
  if (hundredths / 100 !== value) return String(value);
  return (HUNDREDTHS[hundredths] ??= String(value));
}
