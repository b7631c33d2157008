import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { navigate, pathTo, place } from '../router.js';
import { Id } from './text.js';

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly label?: string;
  /** True for the entry of the page that is shown. */
  readonly current?: boolean;
  readonly onFollow?: () => void;
}

/** A link to a page of the console. A plain click changes the page without loading it; all others are the browser's. */
export function Link({ to, children, class: look, label, current, onFollow }: LinkProps) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>): void => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onFollow?.();
    const { path, search } = place.peek();
    if (to !== path + search) navigate(to);
  };
  return (
    <a
      href={to}
      class={look}
      aria-label={label}
      aria-current={current === true ? 'page' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}

/** A link whose words are an id, or a name that others wrote. */
export function IdLink({ to, text }: { readonly to: string; readonly text: string }) {
  return (
    <Link to={to}>
      <Id text={text} plain />
    </Link>
  );
}

/** The receiver of a message, as a link to its page where it has one. */
export function ReceiverLink(props: { readonly to: string; readonly receiverId?: string | undefined }) {
  const { to, receiverId } = props;
  return receiverId === undefined ? (
    <Id text={to} />
  ) : (
    <IdLink to={pathTo('receivers', receiverId)} text={to} />
  );
}

/** The link to the page of a server; a dash where there is none. */
export function ServerLink(props: { readonly tenant: string; readonly server?: string | null }) {
  const { tenant, server } = props;
  return server ? <IdLink to={pathTo('servers', tenant, server)} text={server} /> : <>–</>;
}
