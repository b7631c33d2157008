import { expect } from 'chai';
import fc from 'fast-check';
import type { EmailSeries } from '../../../src/delivery/port.js';
import { pngOf } from '../../../src/delivery/senders/png.js';
import { seriesPicture } from '../../../src/delivery/senders/series-picture.js';
import { scaleLabels, scaleOf } from '../../../src/delivery/senders/series-scale.js';
import { decodedPng, type DecodedPng } from './decoded-png.js';

const [BLUE, RED, AMBER] = ['47,127,224', '224,57,62', '176,120,0'];

/** A series of cpu with a threshold at 85 unless given otherwise. */
const seriesOf = (given: Partial<EmailSeries> = {}): EmailSeries => ({
  metric: 'cpu',
  values: [88, 91, 93, 95, 97],
  size: given.values?.length ?? 5,
  thresholds: [85],
  clears: [],
  percent: true,
  ...given,
});

const drawn = async (series: EmailSeries): Promise<DecodedPng> =>
  decodedPng(await pngOf(seriesPicture(series)));

/** Returns the rows of a column in which a colour is opaque. */
const rowsOf = (picture: DecodedPng, colour: string | undefined, x: number): number[] =>
  Array.from({ length: picture.height }, (_, y) => y).filter((y) => {
    const [red, green, blue, opacity] = picture.at(x, y);
    return opacity === 255 && `${red},${green},${blue}` === colour;
  });
const middle = (rows: readonly number[]): number => (rows[0]! + rows.at(-1)!) / 2;

describe('the picture of a series', () => {
  it('is a PNG for sharp screens, with a transparent ground', async () => {
    const file = await pngOf(seriesPicture(seriesOf()));
    const picture = decodedPng(file);
    expect([picture.width, picture.height]).to.deep.equal([560, 192]);
    expect(picture.at(0, 5)).to.deep.equal([0, 0, 0, 0]);
    expect(file.length).to.be.below(4_000);
  });

  it('of percentages shows them between 0 and 100: the line, the threshold and where it clears at their heights', async () => {
    const picture = await drawn(seriesOf({ values: [100, 50, 0], thresholds: [75], clears: [25] }));
    // 6 of 96 CSS pixels above 100 and below 0; two pixels each.
    const height = (value: number) => (6 + (84 * (100 - value)) / 100) * 2;
    const [left, centre] = [8, 280];
    expect(middle(rowsOf(picture, BLUE, centre))).to.be.closeTo(height(50), 2);
    expect(middle(rowsOf(picture, RED, left))).to.be.closeTo(height(75), 1);
    expect(rowsOf(picture, AMBER, 21).length + rowsOf(picture, AMBER, 22).length).to.be.above(0);
    expect(middle([21, 22].flatMap((x) => rowsOf(picture, AMBER, x)))).to.be.closeTo(height(25), 1);
    // The first value is at the left end, the newest at the right.
    expect(middle(rowsOf(picture, BLUE, 14))).to.be.closeTo(height(100), 3);
    expect(middle(rowsOf(picture, BLUE, 548))).to.be.closeTo(height(0), 3);
  });

  it('marks a threshold with dashes and the number that clears with dots: colour alone tells nothing', async () => {
    const picture = await drawn(seriesOf({ values: [10, 10], thresholds: [80], clears: [50] }));
    const pieces = (colour: string | undefined) => {
      const row = Array.from({ length: picture.width }, (_, x) => rowsOf(picture, colour, x).length > 0);
      return row.filter((isOn, x) => isOn && row[x - 1] !== true).length;
    };
    expect(pieces(RED)).to.be.within(20, 30);
    expect(pieces(AMBER)).to.be.within(50, 60);
  });

  it('is readable on white and on the dark grounds of mail programs', () => {
    const { palette } = seriesPicture(seriesOf());
    const colours = new Set(
      palette.flatMap(([r, g, b, opacity]) => (opacity === 255 ? [`${r},${g},${b}`] : [])),
    );
    expect([...colours]).to.include.members([BLUE, RED, AMBER]);
    for (const colour of colours) {
      for (const ground of ['255,255,255', '18,18,18', '41,42,45']) {
        expect(contrast(colour, ground), `${colour} on ${ground}`).to.be.at.least(3);
      }
    }
  });

  it('of one value is a dot', async () => {
    const picture = await drawn(seriesOf({ values: [50], thresholds: [] }));
    expect(rowsOf(picture, BLUE, 548).length).to.be.within(9, 11);
    expect(rowsOf(picture, BLUE, 280)).to.deep.equal([]);
  });

  it('holds any finite numbers', () => {
    const any = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(
        fc.array(any, { minLength: 1, maxLength: 60 }),
        fc.array(any, { maxLength: 3 }),
        fc.boolean(),
        (values, thresholds, percent) => {
          const series = seriesOf({ values, thresholds, percent });
          const { low, high } = scaleOf(series);
          expect(low).to.be.at.most(Math.min(...values, ...thresholds));
          expect(high).to.be.at.least(Math.max(...values, ...thresholds));
          expect([low, high].every(Number.isFinite)).to.equal(true);
          const { pixels, palette, width } = seriesPicture(series);
          expect(Math.max(...pixels)).to.be.below(palette.length);
          const line = palette.length - 1;
          expect(pixels.some((index, place) => index === line && place % width > 530)).to.equal(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the scale of a series', () => {
  it('is 0 to 100 for percentages, otherwise round numbers around what it shows', () => {
    expect(scaleOf(seriesOf())).to.deep.equal({ low: 0, high: 100 });
    expect(scaleOf(seriesOf({ percent: false }))).to.deep.equal({ low: 83, high: 99 });
    expect(scaleOf(seriesOf({ percent: false, values: [3, 4_100], thresholds: [] }))).to.deep.equal({
      low: 0,
      high: 5_000,
    });
    expect(scaleOf(seriesOf({ percent: false, values: [-5, -5], thresholds: [] }))).to.deep.equal({
      low: -6,
      high: -4,
    });
    expect(scaleOf(seriesOf({ thresholds: [400] })).high).to.be.above(400);
  });

  it('is labelled with its ends and its thresholds, none over another', () => {
    expect(scaleLabels(seriesOf({ thresholds: [50] })).map(({ value }) => value)).to.deep.equal([100, 50, 0]);
    expect(scaleLabels(seriesOf({ thresholds: [99] })).map(({ value }) => value)).to.deep.equal([99, 0]);
    const many = seriesOf({ thresholds: [85, 84, 30], clears: [60, 31] });
    const tops = scaleLabels(many).map(({ top }) => top);
    expect(scaleLabels(many).map(({ value }) => value)).to.deep.equal([85, 60, 30, 0]);
    for (const [index, top] of tops.entries()) {
      expect(top - (tops[index - 1] ?? -14)).to.be.at.least(14);
      expect(top).to.be.within(0, 82);
    }
  });
});

/** Returns the contrast of two colours (WCAG 2.2, relative luminance). */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const parts = colour.split(',').map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * parts[0]! + 0.7152 * parts[1]! + 0.0722 * parts[2]!;
}
