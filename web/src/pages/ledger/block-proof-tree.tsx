import type { BlockProofView } from '../../../../src/ledger/shapes.js';
import { Box, BOX, Edge, LEFT, MIDDLE, type Place, RIGHT, ROW, WIDTH } from './tree-parts.js';
import { shortHash } from './hash.js';

/** Draws the way from the content to the hash of the block, the block on top: by the receipt, and by the transaction. */
export function BlockProofTree({ proof }: { readonly proof: BlockProofView }) {
  const { file, transactionHash, batch, receiptNodes, transactionNodes } = proof;
  const { block, hash, from } = file;
  const common = placed(MIDDLE, 0, [
    ['block', block.hash],
    ['header', `of block ${block.number}`],
  ]);
  const content: readonly Named[] =
    batch === null
      ? []
      : [
          ['root of the batch', batch.root],
          ['leaf', batch.leaf],
        ];
  const byReceipt = placed(LEFT, common.length, [
    ...nodesOf('receiptsRoot', receiptNodes),
    ['receipt', 'with the event'],
    ['event', file.assetId],
    ...content,
    ['content', hash],
  ]);
  const byTransaction = placed(RIGHT, common.length, [
    ...nodesOf('transactionsRoot', transactionNodes),
    ['transaction', transactionHash],
    ['signed by', from],
  ]);
  const rows = common.length + Math.max(byReceipt.length, byTransaction.length);
  const height = (rows - 1) * ROW + BOX.height + 2;
  const text = `Tree from the content ${shortHash(hash)} to the hash of block ${block.number}, ${shortHash(block.hash)}. The list of steps says the same.`;
  const header = common.at(-1)!;
  return (
    <svg class="proof-tree" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={text}>
      {[common, [header, ...byReceipt], [header, ...byTransaction]].flatMap((line) =>
        line.slice(1).map((place, i) => <Edge key={`${place.x} ${place.y}`} from={place} to={line[i]!} />),
      )}
      {[...common, ...byReceipt, ...byTransaction].map((place) => (
        <Box key={`${place.x} ${place.y}`} place={place} />
      ))}
    </svg>
  );
}

type Named = readonly [name: string, hash: string];

function nodesOf(root: string, nodes: readonly string[]): readonly Named[] {
  return nodes.map((hash, i) => [i === 0 ? root : `node ${i}`, hash]);
}

/** Places names in a column, from a row on downwards. */
function placed(x: number, from: number, named: readonly Named[]): readonly Place[] {
  return named.map(([name, hash], i) => ({ name, hash, x, y: 1 + (from + i) * ROW, isOnPath: true }));
}
