import type { ProofView } from '../../../../src/ledger/shapes.js';
import { counted } from '../../ui/number.js';
import { Box, BOX, Edge, LEFT, MIDDLE, type Place, RIGHT, ROW, WIDTH } from './tree-parts.js';
import { shortHash } from './hash.js';

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
  return [...rows, [{ hash, x: MIDDLE, y: yOf(steps.length), name, isOnPath: true }]];
}
