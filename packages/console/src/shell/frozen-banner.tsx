import { Link } from '@tanstack/react-router';
import { dateTimeText } from '../data/time.ts';
import { useFreezes } from '../pages/freezes/freeze-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Name } from '../ui/name.tsx';
import { words } from '../words/index.ts';

/** Banner while something is frozen: the organization if it is, otherwise the newest freeze and how many others there are. */
export function FrozenBanner() {
  const freezes = useFreezes();
  const shown = freezes.find(({ target }) => target === 'ORGANIZATION') ?? freezes.at(-1);
  if (shown === undefined) return null;
  const { target, reason, frozenAt } = shown;
  return (
    <p
      role="status"
      className="sticky top-0 z-30 flex items-center justify-center gap-2 bg-wait-soft px-4 py-1.5 text-sm font-medium text-wait md:col-span-2"
    >
      <Icon name="warning" size={16} />
      <span>
        {words.freezes.banner(target, dateTimeText(Number(frozenAt.seconds) * 1000), freezes.length - 1)} <Name text={reason} />{' '}
        <Link to="/settings" className="underline">
          {words.freezes.show}
        </Link>
      </span>
    </p>
  );
}
