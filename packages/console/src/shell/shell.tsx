import '../look/font-more.css';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useOwnNames } from '../data/own-names.ts';
import { usePendingApprovals } from '../data/pending-approvals.ts';
import { dateTimeText } from '../data/time.ts';
import { useOffline } from '../offline/use-offline.ts';
import { escapeInvisible } from '../review/escape-invisible.ts';
import { useSession, useSessionState } from '../session/context.tsx';
import { isReadOnly } from '../session/session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, Mark } from '../ui/icon.tsx';
import { Name } from '../ui/name.tsx';
import { Loading } from '../ui/page.tsx';
import { PageTitle } from '../ui/page-title.ts';
import { words } from '../words/index.ts';
import { FrozenBanner } from './frozen-banner.tsx';
import { Keyboard } from './keyboard.tsx';
import { useLive } from './live.ts';
import { InOwnOrganization } from './other-organization.tsx';
import { listedPages, menu, type Page, pageAt, phonePages } from './pages.ts';
import { ThemeChoice } from './theme.tsx';

/** Frame of every page after sign-in: a side bar on desktops, a bottom bar on phones. */
export function Shell() {
  useLive();
  const [paletteOpen, setPaletteOpen] = useState(false);
  const [moreOpen, setMoreOpen] = useState(false);
  const { mine, query } = usePendingApprovals();
  const pending = mine.length;
  const [heading, setHeading] = useState<string>();
  useTitle(pending, heading);
  useBadge(query.data === undefined ? undefined : pending);
  useFocusOnPage();
  const count = (page: Page) => (page.path === '/approvals' ? pending : 0);
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15.5rem_minmax(0,1fr)]">
      <button
        type="button"
        className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:m-2 focus:rounded-lg focus:bg-surface focus:p-3"
        onClick={() => document.getElementById('content')?.focus()}
      >
        {words.shell.skip}
      </button>
      <Outage />
      <ActingSession />
      <FrozenBanner />
      <aside
        aria-label={words.common.product}
        className="sticky top-0 hidden h-dvh flex-col gap-4 overflow-y-auto border-e border-line bg-sunken/60 px-3 py-4 md:flex"
      >
        <Whose />
        <button
          type="button"
          onClick={() => setPaletteOpen(true)}
          className="flex items-center gap-2 rounded-lg border border-line bg-surface px-3 py-1.5 text-start text-quiet hover:text-ink"
        >
          <Icon name="search" size={16} />
          <span className="flex-1">{words.shell.palette.open}</span>
          <kbd className="font-mono text-xs">Ctrl K</kbd>
        </button>
        <nav aria-label={words.shell.navigation} className="flex flex-1 flex-col gap-4">
          {menu.map((group) => (
            <div key={group.title}>
              <p className="mb-1 px-3 text-xs font-medium tracking-wide text-quiet">{group.title}</p>
              {group.pages.map((page) => (
                <SideLink key={page.path} page={page} count={count(page)} />
              ))}
            </div>
          ))}
        </nav>
        <ThemeChoice />
        <You />
      </aside>
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-6xl px-4 pt-5 pb-28 outline-none md:px-8 md:pt-8 md:pb-16">
        <PageTitle value={setHeading}>
          <Suspense fallback={<Loading />}>
            <InOwnOrganization>
              <Outlet />
            </InOwnOrganization>
          </Suspense>
        </PageTitle>
      </main>
      <nav
        aria-label={words.shell.navigation}
        className="fixed inset-x-0 bottom-0 z-30 grid grid-cols-5 border-t border-line bg-surface/95 pb-[env(safe-area-inset-bottom)] backdrop-blur md:hidden"
      >
        {phonePages.map((page) => (
          <BarLink key={page.path} page={page} count={count(page)} />
        ))}
        <button
          type="button"
          onClick={() => setMoreOpen(true)}
          className="grid justify-items-center gap-0.5 py-2 text-xs text-quiet"
        >
          <Icon name="more" size={22} />
          {words.shell.pages.more}
        </button>
      </nav>
      <More open={moreOpen} onOpenChange={setMoreOpen} find={() => setPaletteOpen(true)} />
      <Keyboard paletteOpen={paletteOpen} setPaletteOpen={setPaletteOpen} />
    </div>
  );
}

/** Banner for an unreachable service. */
function Outage() {
  if (!useOffline()) return null;
  return (
    <p
      role="status"
      className="sticky top-0 z-30 flex items-center justify-center gap-2 bg-wait-soft px-4 py-1.5 text-sm font-medium text-wait md:col-span-2"
    >
      <Icon name="warning" size={16} />
      {words.shell.offline}
    </p>
  );
}

/** The title of the tab: the number of approvals, the item if the page shows one, the page and the product. */
function useTitle(pending: number, heading: string | undefined): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const page = pageAt(path);
    const isItem = page !== undefined && page.path !== path && heading !== undefined && heading !== page.title;
    const item = isItem ? [escapeInvisible(heading)] : [];
    const title = [...item, ...(page === undefined ? [] : [page.title]), words.common.product].join(' · ');
    document.title = pending === 0 ? title : `(${pending}) ${title}`;
  }, [pending, path, heading]);
}

/** The number of approvals on the icon of the installed app, where the platform shows one. Undefined while it is unknown. */
function useBadge(pending: number | undefined): void {
  useEffect(() => {
    // Browsers that cannot show a badge reject it.
    if (pending !== undefined) void navigator.setAppBadge?.(pending).catch(() => undefined);
  }, [pending]);
  useEffect(() => () => void navigator.clearAppBadge?.().catch(() => undefined), []);
}

/** Moves the focus to the content when the page changes, so that keyboards and screen readers begin there. */
function useFocusOnPage(): void {
  // The address changes before the page does, and what had the focus can disappear with the old page.
  const path = useRouterState({ select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const { activeElement } = document;
    // A field or a dialog of the new page keeps the focus that it took.
    if (activeElement instanceof HTMLElement && activeElement.closest('main, [role=dialog]') !== null) return;
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}

function Whose() {
  const { organizationName } = useOwnNames();
  return (
    <Link to="/" className="flex items-center gap-2.5 rounded-lg px-2">
      <Mark />
      <span className="min-w-0">
        <span className="block truncate leading-tight font-semibold">
          <Name text={organizationName} />
        </span>
        <span className="block text-xs text-quiet">{words.common.product}</span>
      </span>
    </Link>
  );
}

const itemClass = 'flex items-center gap-2.5 rounded-lg px-3 py-1.5 hover:bg-line/60 md:py-1';
const current = { className: 'bg-surface font-medium text-ink shadow-[0_0_0_1px_var(--line)]' };

function SideLink({ page, count }: { page: Page; count: number }) {
  return (
    <Link
      to={page.path}
      activeOptions={{ exact: page.path === '/' }}
      className={itemClass}
      activeProps={current}
      inactiveProps={{ className: 'text-quiet' }}
    >
      <Icon name={page.icon} size={18} />
      <span className="flex-1">{page.title}</span>
      {count > 0 && <Count count={count} />}
    </Link>
  );
}

function Count({ count }: { count: number }) {
  return (
    <span className="number min-w-5 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-on-accent">
      {count > 99 ? '99+' : count}
      <span className="sr-only"> {words.shell.pending(count)}</span>
    </span>
  );
}

function BarLink({ page, count }: { page: Page; count: number }) {
  return (
    <Link
      to={page.path}
      activeOptions={{ exact: page.path === '/' }}
      className="relative grid justify-items-center gap-0.5 py-2 text-xs"
      activeProps={{ className: 'text-accent font-medium' }}
      inactiveProps={{ className: 'text-quiet' }}
    >
      <Icon name={page.icon} size={22} />
      {page.title}
      {count > 0 && (
        <span className="absolute top-1 left-1/2 ms-1.5">
          <Count count={count} />
        </span>
      )}
    </Link>
  );
}

/** Marks a session that can act without a passkey, with its end. */
function ActingSession() {
  const session = useSession();
  if (isReadOnly(session)) return null;
  return (
    <p
      role="note"
      className="flex items-center justify-center gap-2 bg-wait-soft px-4 py-1.5 text-sm font-medium text-wait md:col-span-2"
    >
      <Icon name="key" size={16} />
      {words.shell.actingSession(dateTimeText(session.expiresAtMs))}
    </p>
  );
}

function You() {
  const { userName } = useOwnNames();
  const { end } = useSessionState();
  return (
    <div className="flex items-center gap-1 border-t border-line pt-3">
      <Link to="/me" className={`${itemClass} min-w-0 flex-1`} activeProps={current} inactiveProps={{ className: 'text-quiet' }}>
        <Icon name="me" size={18} />
        <span className="truncate">
          <Name text={userName} />
        </span>
      </Link>
      <IconButton icon="out" label={words.shell.signOut} onClick={() => void end()} />
    </div>
  );
}

function More({ open, onOpenChange, find }: { open: boolean; onOpenChange(open: boolean): void; find(): void }) {
  const { end } = useSessionState();
  const location = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the sheet
  useEffect(() => onOpenChange(false), [location]);
  const rest = listedPages.filter(({ phone }) => phone === undefined);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={words.shell.pages.more}>
      <div className="mb-3 grid">
        <Button
          icon="search"
          onClick={() => {
            onOpenChange(false);
            find();
          }}
        >
          {words.shell.palette.open}
        </Button>
      </div>
      <div className="grid grid-cols-2 gap-1">
        {rest.map((page) => (
          <SideLink key={page.path} page={page} count={0} />
        ))}
      </div>
      <div className="mt-4 grid gap-3 border-t border-line pt-4">
        <ThemeChoice />
        <Button icon="out" wide onClick={() => void end()}>
          {words.shell.signOut}
        </Button>
      </div>
    </Dialog>
  );
}
