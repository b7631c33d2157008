import type { ComponentChildren } from 'preact';
import { queryValue, setQuery } from '../router.js';
import { ChoiceField } from '../ui/field.js';
import { SearchField } from '../ui/search-field.js';
import { session } from '../session.js';
import { nameText } from '../ui/text.js';
import { idOfTenant, nameOfTenant } from '../ui/tenant-name.js';

/** Parameters that a changed filter removes: the list begins anew. */
const FROM_START = { before: '', after: '' };

/** The filters of a list. They are in the query, so that a filtered list has an address. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

interface ChoiceFilterProps {
  readonly name: string;
  readonly label: string;
  /** Words of the entry that filters nothing. */
  readonly all: string;
  readonly choices: readonly string[];
  /** Parameters that this filter removes when it changes. */
  readonly resets?: readonly string[];
}

/** A filter by one of a few values. */
export function ChoiceFilter({ name, label, all, choices, resets = [] }: ChoiceFilterProps) {
  const value = queryValue(name);
  const shown = value === '' || choices.includes(value) ? choices : [...choices, value];
  const change = (next: string): void =>
    setQuery({ ...FROM_START, ...Object.fromEntries(resets.map((other) => [other, ''])), [name]: next });
  return (
    <ChoiceField
      label={label}
      value={value}
      options={[['', all], ...shown.map((one) => [one, nameText(one)] as const)]}
      onChange={change}
    />
  );
}

/** The filter by a tenant: its id, or its name where the service knows it. */
export function TenantFilter() {
  const id = queryValue('tenant');
  const named = session.value!.tenants.length > 0;
  return (
    <SearchField
      label={named ? 'Tenant id or name' : 'Tenant id'}
      value={nameOfTenant(id) ?? id}
      onSearch={(text) => setQuery({ ...FROM_START, tenant: idOfTenant(text) ?? text })}
    />
  );
}

/** A filter by a text that is typed. */
export function TextFilter(props: {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
}) {
  const { name, label, placeholder } = props;
  return (
    <SearchField
      label={label}
      placeholder={placeholder}
      value={queryValue(name)}
      onSearch={(text) => setQuery({ ...FROM_START, [name]: text })}
    />
  );
}
