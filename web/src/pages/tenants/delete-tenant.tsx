import { useState } from 'preact/hooks';
import type { TenantSummary } from '../../../../src/operator/shapes.js';
import { send } from '../../api.js';
import { ownPath } from '../../api-paths.js';
import { Button } from '../../ui/button.js';
import { Confirm, Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { announce } from '../../ui/status.js';
import { Id } from '../../ui/text.js';

interface DeleteTenantProps {
  readonly tenant: TenantSummary;
  /** Called when the viewer gives up. */
  readonly onClose: () => void;
  /** Called after the change. */
  readonly onDone: () => void;
}

/** Asks twice, then deletes a tenant: the second question is answered by its name. */
export function DeleteTenant({ tenant, onClose, onDone }: DeleteTenantProps) {
  const [isSure, setSure] = useState(false);
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string>();
  const { id, names, servers, subscriptions } = tenant;
  const name = names[0] ?? id;
  const remove = async (): Promise<void> => {
    await send('DELETE', ownPath('tenants', id));
    announce('The tenant is being deleted.');
    onDone();
  };
  if (!isSure)
    return (
      <Dialog open title="Delete this tenant?" onClose={onClose}>
        <div class="dialog-text">
          <p>
            <Id text={name} />
          </p>
          <p>
            Its {servers} servers with {subscriptions} subscriptions, its rules, quiet times and messages are
            deleted. They cannot be restored. Records of the ledger stay.
          </p>
        </div>
        <div class="dialog-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" onClick={() => setSure(true)}>
            Go on
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Confirm
      open
      title="Type its name to delete it"
      action="Delete tenant"
      danger
      onClose={onClose}
      onConfirm={async () => {
        if (typed === name) return remove();
        setWrong('This is not the name of the tenant.');
        throw new Error('Nothing was deleted.');
      }}
    >
      <p>
        <Id text={name} />
      </p>
      <TextField
        label="Name of the tenant"
        value={typed}
        error={wrong}
        onChange={(text) => {
          setTyped(text);
          setWrong(undefined);
        }}
      />
    </Confirm>
  );
}
