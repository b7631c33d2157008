import type { EmailSeries } from '../port.js';
import type { PalettePicture } from './png.js';
import { INSET, PICTURE, scaleOf, yOf } from './series-scale.js';

/** Pixels for one CSS pixel: sharp on the screens of phones. */
const DENSITY = 2;
const WIDTH = PICTURE.width * DENSITY;
const HEIGHT = PICTURE.height * DENSITY;

/** Steps of the smooth edge of a line. */
const STEPS = 15;

/**
 * The layers from the back: colour and full opacity. The ground is transparent, because programs show mails on light and on
 * dark: each line has a contrast of at least 3 to both (WCAG 2.2, 1.4.11).
 */
const LAYERS = [
  [0x2f, 0x7f, 0xe0, 40],
  [0x8a, 0x8a, 0x8a, 255],
  [0xb0, 0x78, 0x00, 255],
  [0xe0, 0x39, 0x3e, 255],
  [0x2f, 0x7f, 0xe0, 255],
] as const;
const [AREA, FRAME, CLEAR, THRESHOLD, LINE] = [0, 1, 2, 3, 4];

/** Index 0 is nothing; a layer has `STEPS` indexes, the last one for its full opacity. */
const PALETTE: PalettePicture['palette'] = [
  [0, 0, 0, 0],
  ...LAYERS.flatMap(([red, green, blue, opacity]) =>
    Array.from(
      { length: STEPS },
      (_, step) => [red, green, blue, Math.round((opacity * (step + 1)) / STEPS)] as const,
    ),
  ),
];

type Point = readonly [x: number, y: number];

/** Draws a series with at least one value: a line, a dash for each threshold, dots where comparisons clear. */
export function seriesPicture(series: EmailSeries): PalettePicture {
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  const scale = scaleOf(series);
  const levelOf = (value: number): number => yOf(value, scale) * DENSITY;
  const [left, right] = [INSET * DENSITY, WIDTH - INSET * DENSITY];
  const { values } = series;
  const points = values.map((value, index): Point => {
    const share = values.length === 1 ? 1 : index / (values.length - 1);
    return [left + share * (right - left), levelOf(value)];
  });

  fillBelow(pixels, points, levelOf(scale.low));
  for (const end of [scale.low, scale.high])
    rule(pixels, FRAME, levelOf(end), { on: WIDTH, off: 0, thick: 1 });
  for (const value of series.clears) rule(pixels, CLEAR, levelOf(value), { on: 4, off: 6, thick: 3 });
  for (const value of series.thresholds)
    rule(pixels, THRESHOLD, levelOf(value), { on: 14, off: 8, thick: 3 });
  for (const [index, point] of points.entries()) stroke(pixels, LINE, points[index - 1] ?? point, point, 4);
  const newest = points.at(-1)!;
  stroke(pixels, LINE, newest, newest, 11);
  return { width: WIDTH, height: HEIGHT, pixels, palette: PALETTE };
}

/** Draws a level line from the left to the right, in pieces of `on` pixels with gaps of `off`. */
function rule(
  pixels: Uint8Array,
  layer: number,
  y: number,
  { on, off, thick }: { readonly on: number; readonly off: number; readonly thick: number },
): void {
  for (let x = 0; x < WIDTH; x += on + off)
    stroke(pixels, layer, [x, y], [Math.min(WIDTH, x + on), y], thick);
}

/** Draws a straight line with round ends and smooth edges; a dot if both ends are one. */
function stroke(
  pixels: Uint8Array,
  layer: number,
  [fromX, fromY]: Point,
  [toX, toY]: Point,
  thick: number,
): void {
  const reach = thick / 2 + 1;
  const [dx, dy] = [toX - fromX, toY - fromY];
  const length = dx * dx + dy * dy;
  const lastX = Math.min(WIDTH, Math.max(fromX, toX) + reach);
  const lastY = Math.min(HEIGHT, Math.max(fromY, toY) + reach);
  for (let y = Math.max(0, Math.floor(Math.min(fromY, toY) - reach)); y < lastY; y += 1) {
    for (let x = Math.max(0, Math.floor(Math.min(fromX, toX) - reach)); x < lastX; x += 1) {
      // The distance of the middle of the pixel from the nearest point of the line.
      const [px, py] = [x + 0.5 - fromX, y + 0.5 - fromY];
      const share = length === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / length));
      const distance = Math.sqrt((px - share * dx) ** 2 + (py - share * dy) ** 2);
      paint(pixels, layer, x, y, Math.min(1, thick / 2 + 0.5 - distance));
    }
  }
}

/** Fills what is between a line and the bottom. Nothing is there yet. */
function fillBelow(pixels: Uint8Array, points: readonly Point[], bottom: number): void {
  for (const [index, [toX, toY]] of points.entries()) {
    const [fromX, fromY] = points[index - 1] ?? [toX, toY];
    for (let x = Math.floor(fromX); x < Math.floor(toX); x += 1) {
      const top = fromY + ((toY - fromY) * (x + 0.5 - fromX)) / (toX - fromX);
      for (let y = Math.round(top); y < bottom; y += 1) pixels[y * WIDTH + x] = AREA * STEPS + STEPS;
    }
  }
}

/**
 * Puts a layer on a pixel. Where another layer is, it covers at least half of the pixel, or more of it than the other one;
 * the area gives way to all. `covered` is 0..1, nothing below. Layers are drawn from the back.
 */
function paint(pixels: Uint8Array, layer: number, x: number, y: number, covered: number): void {
  const step = Math.round(covered * STEPS);
  if (step <= 0) return;
  const before = pixels[y * WIDTH + x]!;
  const layerBefore = Math.ceil(before / STEPS) - 1;
  const stepBefore = before - layerBefore * STEPS;
  const wins = layerBefore <= AREA || step > stepBefore || (layer > layerBefore && step * 2 > STEPS);
  if (wins) pixels[y * WIDTH + x] = layer * STEPS + step;
}
