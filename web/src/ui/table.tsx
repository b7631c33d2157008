import type { ComponentChildren } from 'preact';

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
}

/** A table. On a narrow screen each row becomes a card, with the heads as labels. */
export function Table<T>({ label, columns, rows, rowKey, busy = false, empty }: TableProps<T>) {
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
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
