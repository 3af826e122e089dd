import type { IconName } from '../ui/icon.tsx';
import { words } from '../words/index.ts';

const { pages: titles, groups } = words.shell;

/** A page for people who are signed in. */
export interface Page {
  readonly path: string;
  /** The path of one item of the page. */
  readonly detail?: string;
  readonly title: string;
  readonly icon: IconName;
  /** Its group in the menu. A page without a group is linked from elsewhere. */
  readonly group?: keyof typeof groups;
  /** The key after `g` that opens it. */
  readonly key?: string;
  /** Its place in the bar at the bottom of a phone. The other pages are behind “More”. */
  readonly phone?: number;
  /** The palette and “More” leave it out. */
  readonly unlisted?: true;
}

/** Every page. The router, the menu, the keyboard, the palette and both bars read this table. */
export const pages = [
  { path: '/', title: titles.overview, icon: 'overview', group: 'work', key: 'o', phone: 4 },
  {
    path: '/approvals',
    detail: '/approvals/$activityId',
    title: titles.approvals,
    icon: 'approvals',
    group: 'work',
    key: 'a',
    phone: 1,
  },
  {
    path: '/activities',
    detail: '/activities/$activityId',
    title: titles.activities,
    icon: 'activities',
    group: 'work',
    key: 'h',
    phone: 2,
  },
  { path: '/wallets', detail: '/wallets/$walletId', title: titles.wallets, icon: 'wallets', group: 'work', key: 'w', phone: 3 },
  { path: '/send', title: titles.send, icon: 'send', group: 'work', key: 't' },
  { path: '/sign', title: titles.sign, icon: 'sign', group: 'work', key: 's' },
  { path: '/secrets', title: titles.secrets, icon: 'secrets', group: 'work' },
  { path: '/policies', detail: '/policies/$policyId', title: titles.policies, icon: 'policies', group: 'control', key: 'p' },
  { path: '/limits', title: titles.limits, icon: 'limits', group: 'control', key: 'l' },
  { path: '/contacts', title: titles.contacts, icon: 'contacts', group: 'control', key: 'c' },
  { path: '/people', detail: '/people/$userId', title: titles.people, icon: 'people', group: 'organization', key: 'u' },
  {
    path: '/organizations',
    detail: '/organizations/$organizationId',
    title: titles.organizations,
    icon: 'organizations',
    group: 'organization',
  },
  { path: '/webhooks', title: titles.webhooks, icon: 'webhooks', group: 'organization' },
  { path: '/network', title: titles.network, icon: 'network', group: 'organization' },
  { path: '/settings', title: titles.settings, icon: 'settings', group: 'organization' },
  { path: '/me', title: titles.me, icon: 'me', key: 'm' },
  { path: '/command-line', title: words.identity.commandLine.title, icon: 'key', unlisted: true },
] as const satisfies readonly Page[];

type Entry = (typeof pages)[number];

/** The paths of all pages and items. */
export type PagePath = Entry['path'] | Extract<Entry, { readonly detail: string }>['detail'];

export const listedPages: readonly Page[] = pages.filter((page: Page) => page.unlisted === undefined);

/** The pages of the menu, in groups. */
export const menu: readonly { readonly title: string; readonly pages: readonly Page[] }[] = Object.entries(groups).map(
  ([name, title]) => ({ title, pages: listedPages.filter(({ group }) => group === name) }),
);

/** The pages of the bar at the bottom of a phone. */
export const phonePages: readonly Page[] = listedPages
  .filter(({ phone }) => phone !== undefined)
  .toSorted((left, right) => (left.phone ?? 0) - (right.phone ?? 0));

/** The page at a path, also at that of one of its items. */
export function pageAt(path: string): Page | undefined {
  return pages.find((page: Page) => page.path === path || (page.path !== '/' && path.startsWith(`${page.path}/`)));
}
