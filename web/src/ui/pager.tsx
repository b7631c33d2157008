import { queryValue, setQuery } from '../router.js';
import { Button } from './button.js';
import { Icon } from './icons.js';

interface PagerProps {
  /** The name of the parameter that a page begins with: `after` or `before`. */
  readonly name: string;
  /** `next` of the answer. */
  readonly next: string | number | null;
}

/** Buttons for the first and the next page of a list. The page is in the query, so the browser's back button works. */
export function Pager({ name, next }: PagerProps) {
  const later = queryValue(name) !== '';
  if (!later && next === null) return null;
  const go = (value: string): void => {
    setQuery({ [name]: value }, { push: true });
    window.scrollTo(0, 0);
  };
  return (
    <nav class="pager" aria-label="Pages">
      <Button disabled={!later} onClick={() => go('')}>
        <Icon name="back" /> First page
      </Button>
      <Button disabled={next === null} onClick={() => go(String(next ?? ''))}>
        Next page <Icon name="next" />
      </Button>
    </nav>
  );
}
