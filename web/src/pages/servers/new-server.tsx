import { useState } from 'preact/hooks';
import type { TargetedSubmitEvent } from 'preact';
import { navigate, pathTo } from '../../router.js';
import { viewer } from '../../session.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../forms/form-parts.js';
import { TextField } from '../../ui/field.js';

/** Ids that paths of the policy API take. */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:~-]{1,256}$/;

/** The button that asks a tenant for the id of a server, and opens its page, where its rules are made. */
export function NewServer() {
  const [open, setOpen] = useState(false);
  const [id, setId] = useState('');
  const [refused, setRefused] = useState(false);
  const person = viewer.value;
  if (person?.kind !== 'tenant') return null;
  const close = (): void => setOpen(false);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!ID.test(id)) return setRefused(true);
    close();
    navigate(pathTo('servers', person.tenantId, id));
  };
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        New server
      </Button>
      <Dialog open={open} title="New server" onClose={close}>
        <form class="form" noValidate onSubmit={submit} aria-label="New server">
          <TextField
            label="Server id"
            error={
              refused ? 'It has 1 to 256 letters without accents, digits, and any of “_ . : ~ -”.' : undefined
            }
            hint="The id that its context broker sends. The server begins with its first rule, subscription or measurement."
            spellcheck={false}
            value={id}
            onInput={(text) => {
              setId(text);
              setRefused(false);
            }}
          />
          <FormButtons action="Open its page" onCancel={close} />
        </form>
      </Dialog>
    </>
  );
}
