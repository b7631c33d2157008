import type { Window, Windows } from './window.js';

/** Texts of whole hundredths, each made when it is first needed: most measurements have no more than two decimals. */
const HUNDREDTHS: string[] = [];

/** The windows as `JSON.stringify` writes them, in half its time: they are written with every fact. */
export function windowsText({ cpu, mem, hdd, net }: Windows): string {
  return `{"cpu":${windowText(cpu)},"mem":${windowText(mem)},"hdd":${windowText(hdd)},"net":${windowText(net)}}`;
}

function windowText({ values, at }: Window): string {
  let text = '';
  for (let i = 0; i < values.length; i += 1) text += (i === 0 ? '' : ',') + percentText(values[i]!);
  return `{"values":[${text}],"at":${at}}`;
}

/** Of a number from 0 to 100. */
function percentText(value: number): string {
  const hundredths = Math.round(value * 100);
  if (hundredths / 100 !== value) return String(value);
  return (HUNDREDTHS[hundredths] ??= String(value));
}
