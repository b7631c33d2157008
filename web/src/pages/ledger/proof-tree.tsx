import type { ProofView } from '../../../../src/ledger/shapes.js';
import { counted } from '../../ui/number.js';
import { shortHash } from './hash.js';

const WIDTH = 360;
const BOX = { width: 166, height: 34 };
const ROW = 62;
const LEFT = 1;
const RIGHT = WIDTH - BOX.width - 1;

/** A place in the drawing. */
interface Place {
  readonly hash: string;
  readonly x: number;
  readonly y: number;
  readonly name: string;
  /** True on the way from the leaf to the root; false for a sibling. */
  readonly isOnPath: boolean;
}

/** Draws the way from a leaf to the root, the root on top. The smaller of two siblings is the left one. */
export function ProofTree({ proof }: { readonly proof: ProofView }) {
  const { leaf, steps, root } = proof;
  const height = steps.length * ROW + BOX.height + 2;
  const rows = rowsOf(proof, height);
  const text =
    `Tree with ${counted(steps.length, 'step')} from the leaf ${shortHash(leaf)} ` +
    `to the root ${shortHash(root)}. The list of steps says the same.`;
  return (
    <svg class="proof-tree" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={text}>
      {rows.map((row, i) => {
        const parent = rows[i + 1]?.find(({ isOnPath }) => isOnPath);
        return parent && row.map((place) => <Edge key={place.name} from={place} to={parent} />);
      })}
      {rows.flat().map((place) => (
        <Box key={`${place.y} ${place.name}`} place={place} />
      ))}
    </svg>
  );
}

/** Returns the rows from the leaf up: each has the node on the way, and its sibling but for the root. */
function rowsOf({ leaf, steps }: ProofView, height: number): Place[][] {
  const yOf = (row: number): number => height - 1 - BOX.height - row * ROW;
  const rows = steps.map(({ left, sibling }, i): Place[] => {
    const hash = i === 0 ? leaf : steps[i - 1]!.node;
    const [x, beside] = left === hash ? [LEFT, RIGHT] : [RIGHT, LEFT];
    const y = yOf(i);
    return [
      { hash, x, y, name: i === 0 ? 'leaf' : `node ${i}`, isOnPath: true },
      { hash: sibling, x: beside, y, name: 'sibling', isOnPath: false },
    ];
  });
  const hash = steps.at(-1)?.node ?? leaf;
  const name = steps.length === 0 ? 'leaf and root' : 'root';
  return [...rows, [{ hash, x: (WIDTH - BOX.width) / 2, y: yOf(steps.length), name, isOnPath: true }]];
}

function Edge({ from, to }: { readonly from: Place; readonly to: Place }) {
  const [x1, x2] = [from.x + BOX.width / 2, to.x + BOX.width / 2];
  const [y1, y2] = [from.y, to.y + BOX.height];
  const middle = (y1 + y2) / 2;
  return <path class={from.isOnPath ? 'edge path' : 'edge'} d={`M${x1} ${y1}V${middle}H${x2}V${y2}`} />;
}

function Box({ place }: { readonly place: Place }) {
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
