import { pathTo } from '../../router.js';
import { CopyButton } from '../../ui/copy.js';
import { Link } from '../../ui/link.js';

/** Returns the beginning and the end of a hash. */
export function shortHash(hash: string): string {
  return hash.length > 16 ? `${hash.slice(0, 8)}…${hash.slice(-6)}` : hash;
}

/** A hash or an address of the chain, whole, with a button that copies it. */
export function Hash({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <span class="hash">
      <code>{value}</code> <CopyButton text={value} label={label} />
    </span>
  );
}

/** The link to a transaction. */
export function ReceiptLink({ hash }: { readonly hash: string }) {
  return (
    <Link to={pathTo('ledger', 'receipts', hash)}>
      <code>{shortHash(hash)}</code>
    </Link>
  );
}
