import type { IconName } from '../ui/icon.tsx';
import { words } from '../words/index.ts';

const { pages, groups } = words.shell;

export interface PageEntry {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  /** The key after `g` that goes there. */
  readonly key?: string;
}

/** Every page of the menu, in groups. The keyboard, the palette and both bars read this table. */
export const menu: readonly { readonly label: string; readonly pages: readonly PageEntry[] }[] = [
  {
    label: groups.work,
    pages: [
      { path: '/', label: pages.overview, icon: 'overview', key: 'o' },
      { path: '/approvals', label: pages.approvals, icon: 'approvals', key: 'a' },
      { path: '/activities', label: pages.activities, icon: 'activities', key: 'h' },
      { path: '/wallets', label: pages.wallets, icon: 'wallets', key: 'w' },
      { path: '/sign', label: pages.sign, icon: 'sign', key: 's' },
    ],
  },
  {
    label: groups.control,
    pages: [
      { path: '/policies', label: pages.policies, icon: 'policies', key: 'p' },
      { path: '/limits', label: pages.limits, icon: 'limits', key: 'l' },
      { path: '/contacts', label: pages.contacts, icon: 'contacts', key: 'c' },
    ],
  },
  {
    label: groups.organization,
    pages: [
      { path: '/people', label: pages.people, icon: 'people', key: 'u' },
      { path: '/organizations', label: pages.organizations, icon: 'organizations' },
      { path: '/webhooks', label: pages.webhooks, icon: 'webhooks' },
      { path: '/network', label: pages.network, icon: 'network' },
      { path: '/settings', label: pages.settings, icon: 'settings' },
    ],
  },
];

export const allPages: readonly PageEntry[] = [
  ...menu.flatMap((group) => group.pages),
  { path: '/me', label: pages.me, icon: 'me', key: 'm' },
];

/** The pages of the bar at the bottom of a phone. The rest is behind “More”. */
export const phonePages: readonly PageEntry[] = ['/approvals', '/activities', '/wallets', '/'].map(
  (path) => allPages.find((page) => page.path === path) as PageEntry,
);
