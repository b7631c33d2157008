import { useState } from 'preact/hooks';
import type { FleetRow } from '../../../../src/policy/fleet/shapes.js';
import { Acknowledge, chosenIn, Mute, unacknowledgedIn } from '../../forms/many-subscriptions.js';
import { Button } from '../../ui/button.js';
import { counted } from '../../ui/number.js';
import { TaskError } from '../../ui/task-error.js';
import { useTask } from '../../use-task.js';
import { allServers, type ServerFilter } from './use-servers.js';

interface SelectedServersProps {
  readonly filter: ServerFilter;
  readonly rows: readonly FleetRow[];
  /** True if the page has all servers of the filter. */
  readonly isAll: boolean;
  readonly selected: ReadonlyMap<string, FleetRow>;
  readonly select: (selected: ReadonlyMap<string, FleetRow>) => void;
  readonly changed: () => void;
}

/** Returns what a server is selected by. */
export function keyOf(server: { readonly tenantId: string; readonly serverId: string }): string {
  return `${server.tenantId}/${server.serverId}`;
}

/** What can be done with the selected servers, and the way to select all of the list. */
export function SelectedServers(props: SelectedServersProps) {
  const { filter, rows, isAll, selected, select, changed } = props;
  const [opened, open] = useState<'acknowledge' | 'mute'>();
  const reading = useTask();
  const servers = [...selected.values()];
  const bound = chosenIn(servers);
  const acknowledgeable = unacknowledgedIn(servers);
  const selectAll = (all: readonly FleetRow[]): void => select(new Map(all.map((one) => [keyOf(one), one])));
  const close = (): void => open(undefined);
  return (
    <div class="selected" role="group" aria-label="Selected servers">
      <span class="selected-count" role="status">
        {selected.size === 0 ? '' : `${counted(selected.size, 'server')} selected`}
      </span>
      <Button disabled={acknowledgeable.length === 0} onClick={() => open('acknowledge')}>
        Acknowledge
      </Button>
      <Button disabled={bound.length === 0} onClick={() => open('mute')}>
        Mute
      </Button>
      {!isAll && (
        <Button
          kind="quiet"
          busy={reading.busy}
          onClick={() => void reading.run(async () => selectAll(await allServers(filter)))}
        >
          Select all of the list
        </Button>
      )}
      {isAll && selected.size < rows.length && (
        <Button kind="quiet" onClick={() => selectAll(rows)}>
          Select all
        </Button>
      )}
      {selected.size > 0 && (
        <Button kind="quiet" onClick={() => selectAll([])}>
          Select none
        </Button>
      )}
      <TaskError text={reading.error} />
      <Acknowledge
        open={opened === 'acknowledge'}
        chosen={acknowledgeable}
        count={servers.filter(({ unacknowledged }) => unacknowledged.length > 0).length}
        onClose={close}
        onDone={changed}
      />
      <Mute open={opened === 'mute'} chosen={bound} count={bound.length} onClose={close} onDone={changed} />
    </div>
  );
}
