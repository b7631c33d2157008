import type { EmailSeries } from '../port.js';

/** Size of a picture on the page, CSS pixels. */
export const PICTURE = { width: 280, height: 96 } as const;
/** Space between the edges of a picture and its drawing, CSS pixels. */
export const INSET = 6;
/** Height of a label beside a picture, CSS pixels. */
export const LABEL_HEIGHT = 14;

/** What the vertical axis of a picture shows. */
export interface Scale {
  /** The number at the bottom. */
  readonly low: number;
  /** The number at the top. It is greater. */
  readonly high: number;
}

/** A number beside a picture. */
export interface ScaleLabel {
  readonly value: number;
  /** Distance of its upper edge from the top of the picture, CSS pixels, whole. */
  readonly top: number;
}

/** Returns the scale of a series: 0 to 100 for percentages, otherwise round numbers around what it has. */
export function scaleOf({ values, thresholds, clears, percent }: EmailSeries): Scale {
  const shown = [...values, ...thresholds, ...clears];
  const least = Math.min(...shown);
  const most = Math.max(...shown);
  if (percent && least >= 0 && most <= 100) return { low: 0, high: 100 };
  const span = most > least ? most - least : Math.abs(most) || 1;
  // Near the smallest and the largest numbers nothing is round, and a difference may be infinite.
  if (span < 1e-300) return { low: least - 1, high: most + 1 };
  if (span > 1e300) return { low: least < 0 ? -Number.MAX_VALUE : 0, high: Number.MAX_VALUE };
  const step = 10 ** Math.floor(Math.log10(span / 2));
  const low = Math.floor((least - span / 10) / step) * step;
  const high = Math.ceil((most + span / 10) / step) * step;
  return { low: Math.min(least, least >= 0 ? Math.max(0, low) : low), high: Math.max(most, high) };
}

/** Returns the distance of a number from the top of a picture, CSS pixels. */
export function yOf(value: number, { low, high }: Scale): number {
  const share = (high / 2 - value / 2) / (high / 2 - low / 2);
  return INSET + share * (PICTURE.height - 2 * INSET);
}

/** Returns the labels of a series from the top: its thresholds, the ends of its scale and where it clears, as far as they fit. */
export function scaleLabels(series: EmailSeries): readonly ScaleLabel[] {
  const scale = scaleOf(series);
  const labels: ScaleLabel[] = [];
  for (const value of [...series.thresholds, scale.high, scale.low, ...series.clears]) {
    const top = Math.round(yOf(value, scale) - LABEL_HEIGHT / 2);
    const inside = Math.min(PICTURE.height - LABEL_HEIGHT, Math.max(0, top));
    if (labels.every((label) => Math.abs(label.top - inside) >= LABEL_HEIGHT))
      labels.push({ value, top: inside });
  }
  return labels.toSorted((one, other) => one.top - other.top);
}
