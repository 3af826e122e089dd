import { Link } from '@tanstack/react-router';
import type { PagePath } from '../shell/pages.ts';
import { Icon } from './icon.tsx';

/** Link from an item to the list that it is in. */
export function BackLink({ to, title }: { to: PagePath; title: string }) {
  return (
    <Link to={to} className="mb-3 inline-flex items-center gap-1 text-quiet hover:text-ink">
      <Icon name="back" size={18} className="rtl:rotate-180" />
      {title}
    </Link>
  );
}
