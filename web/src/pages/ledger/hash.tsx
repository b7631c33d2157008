import { CopyButton } from '../../ui/copy.js';

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
