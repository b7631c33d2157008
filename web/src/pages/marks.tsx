import type { FleetMarks } from '../../../src/policy/fleet/shapes.js';
import { StateBadge } from '../ui/badge.js';

const NAMES = ['acknowledged', 'muted', 'suspended'] as const;

/** What is true of a server beside its state, with the number of subscriptions where it is more than one. */
export function Marks({ marks }: { readonly marks: FleetMarks }) {
  return (
    <span class="marks">
      {NAMES.filter((name) => marks[name] > 0).map((name) => (
        <StateBadge key={name} state={name} text={marks[name] > 1 ? `${name} ×${marks[name]}` : name} />
      ))}
    </span>
  );
}
