import { shortHash } from './hash.js';

export const WIDTH = 360;
export const BOX = { width: 166, height: 34 };
/** Distance of two rows. */
export const ROW = 62;
/** Where a box begins: at the left, at the right, in the middle. */
export const LEFT = 1;
export const RIGHT = WIDTH - BOX.width - 1;
export const MIDDLE = (WIDTH - BOX.width) / 2;

/** A place in the drawing of a tree. */
export interface Place {
  readonly hash: string;
  readonly x: number;
  readonly y: number;
  readonly name: string;
  /** True on the way from the leaf to the root; false for a sibling. */
  readonly isOnPath: boolean;
}

/** The line from a place to the one above it. */
export function Edge({ from, to }: { readonly from: Place; readonly to: Place }) {
  const [x1, x2] = [from.x + BOX.width / 2, to.x + BOX.width / 2];
  const [y1, y2] = [from.y, to.y + BOX.height];
  const middle = (y1 + y2) / 2;
  return <path class={from.isOnPath ? 'edge path' : 'edge'} d={`M${x1} ${y1}V${middle}H${x2}V${y2}`} />;
}

/** The box of a place. */
export function Box({ place }: { readonly place: Place }) {
  const { hash, x, y, name, isOnPath } = place;
  return (
    <g class={isOnPath ? 'node path' : 'node'} transform={`translate(${x} ${y})`}>
      <title>{`${name}: ${hash}`}</title>
      <rect {...BOX} rx="5" />
      <text x="9" y="14" class="name">
        {name}
      </text>
      <text x="9" y="27">
        {shortHash(hash)}
      </text>
    </g>
  );
}
