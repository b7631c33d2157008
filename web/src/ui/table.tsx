import type { ComponentChildren } from 'preact';
import { nameText } from './text.js';

/** A column of a table. `number` aligns to the right, `fit` takes no more width than it needs. */
export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly number?: boolean;
  readonly fit?: boolean;
}

interface TableProps<T> {
  /** Says what is listed, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string | number;
  /** True while the rows are those of an earlier reading. */
  readonly busy?: boolean;
  /** Shown in place of a table without rows. */
  readonly empty?: ComponentChildren;
  /** Gives each row a box that selects it. */
  readonly selection?: Selection<T>;
}

/** The selected rows by their keys. */
interface Selection<T> {
  readonly selected: ReadonlyMap<string, T>;
  readonly select: (selected: ReadonlyMap<string, T>) => void;
  /** Returns the name of a row, for screen readers. */
  readonly nameOf: (row: T) => string;
}

/** A table. On a narrow screen each row becomes a card, with the heads as labels. */
export function Table<T>(props: TableProps<T>) {
  const { label, columns: given, rows, rowKey, busy = false, empty, selection } = props;
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const columns = selection === undefined ? given : [boxColumn(selection, rowKey), ...given];
  // A browser takes the roles of a table away when CSS makes it cards, so they are written.
  return (
    <table class="table" role="table" aria-label={label} aria-busy={busy}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head, number }) => (
            <th key={head} scope="col" role="columnheader" class={number ? 'right' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row">
            {columns.map(({ head, cell, number, fit }) => (
              <td
                key={head}
                role="cell"
                data-head={head}
                class={[number && 'right', fit && 'fit'].filter(Boolean).join(' ') || undefined}
              >
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the column of the boxes. */
function boxColumn<T>(
  { selected, select, nameOf }: Selection<T>,
  rowKey: (row: T) => string | number,
): Column<T> {
  return {
    head: 'Select',
    fit: true,
    cell: (row) => {
      const key = String(rowKey(row));
      return (
        <input
          type="checkbox"
          aria-label={`Select ${nameText(nameOf(row))}`}
          checked={selected.has(key)}
          onChange={({ currentTarget }) => {
            const changed = new Map(selected);
            if (currentTarget.checked) changed.set(key, row);
            else changed.delete(key);
            select(changed);
          }}
        />
      );
    },
  };
}
