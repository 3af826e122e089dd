import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useRouter,
} from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useSessionState } from './session/context.tsx';
import { ErrorPage, NotFound } from './shell/error-pages.tsx';
import type { PagePath } from './shell/pages.ts';
import { Loading } from './ui/page.tsx';

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const Shell = lazy(() => import('./shell/shell.tsx').then((module) => ({ default: module.Shell })));

/** Pages that require sign-in. Redirects to the sign-in page and back. */
function Guarded() {
  const { session } = useSessionState();
  if (session)
    return (
      <Suspense fallback={<Loading />}>
        <Shell key={session.publicKey} />
      </Suspense>
    );
  return (
    <div className="p-8">
      <Loading />
      {session === null && <ToSignIn />}
    </div>
  );
}

function ToSignIn() {
  const own = useRouter();
  // Run once: during the navigation, this page is still mounted and already has the new address.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const { href, search } = own.state.location;
    const organization = text((search as Record<string, unknown>).organization);
    void own.navigate({ to: '/sign-in', search: { to: href === '/' ? undefined : href, organization }, replace: true });
  }, []);
  return null;
}

const guarded = createRoute({ getParentRoute: () => rootRoute, id: 'guarded', component: Guarded });

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>) => ({ to: text(search.to), organization: text(search.organization) }),
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignInPage'),
});
const setup = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: lazyRouteComponent(() => import('./pages/setup.tsx'), 'SetupPage'),
});
const accept = createRoute({
  getParentRoute: () => rootRoute,
  path: '/accept',
  component: lazyRouteComponent(() => import('./pages/accept.tsx'), 'AcceptPage'),
});
const recover = createRoute({
  getParentRoute: () => rootRoute,
  path: '/recover',
  component: lazyRouteComponent(() => import('./pages/recover.tsx'), 'RecoverPage'),
});

const approvalsPage = lazyRouteComponent(() => import('./offline/approvals.tsx'), 'ApprovalsOrKept');
/** The component of every page. A page of the table without one does not compile. */
const components: Readonly<Record<PagePath, ReturnType<typeof lazyRouteComponent>>> = {
  '/': lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
  '/approvals': approvalsPage,
  '/approvals/$activityId': approvalsPage,
  '/activities': lazyRouteComponent(() => import('./pages/activities/activities.tsx'), 'ActivitiesPage'),
  '/activities/$activityId': lazyRouteComponent(() => import('./pages/activities/activity.tsx'), 'ActivityPage'),
  '/wallets': lazyRouteComponent(() => import('./pages/wallets/wallets.tsx'), 'WalletsPage'),
  '/wallets/$walletId': lazyRouteComponent(() => import('./pages/wallets/wallet.tsx'), 'WalletPage'),
  '/send': lazyRouteComponent(() => import('./pages/send/send.tsx'), 'SendPage'),
  '/sign': lazyRouteComponent(() => import('./pages/sign/sign.tsx'), 'SignPage'),
  '/secrets': lazyRouteComponent(() => import('./pages/secrets/secrets.tsx'), 'SecretsPage'),
  '/policies': lazyRouteComponent(() => import('./pages/policies/policies.tsx'), 'PoliciesPage'),
  '/policies/$policyId': lazyRouteComponent(() => import('./pages/policies/policy.tsx'), 'PolicyPage'),
  '/limits': lazyRouteComponent(() => import('./pages/limits/limits.tsx'), 'LimitsPage'),
  '/contacts': lazyRouteComponent(() => import('./pages/contacts/contacts.tsx'), 'ContactsPage'),
  '/people': lazyRouteComponent(() => import('./pages/people/people.tsx'), 'PeoplePage'),
  '/people/$userId': lazyRouteComponent(() => import('./pages/people/person.tsx'), 'PersonPage'),
  '/organizations': lazyRouteComponent(() => import('./pages/organizations/organizations.tsx'), 'OrganizationsPage'),
  '/organizations/$organizationId': lazyRouteComponent(
    () => import('./pages/organizations/organization.tsx'),
    'OrganizationPage',
  ),
  '/webhooks': lazyRouteComponent(() => import('./pages/webhooks/webhooks.tsx'), 'WebhooksPage'),
  '/network': lazyRouteComponent(() => import('./pages/network.tsx'), 'NetworkPage'),
  '/settings': lazyRouteComponent(() => import('./pages/settings.tsx'), 'SettingsPage'),
  '/command-line': lazyRouteComponent(() => import('./pages/command-line.tsx'), 'CommandLinePage'),
  '/me': lazyRouteComponent(() => import('./pages/me.tsx'), 'MePage'),
};

const page = <Path extends PagePath>(path: Path) =>
  createRoute({ getParentRoute: () => guarded, path, component: components[path] });
type RouteOf<Path> = Path extends PagePath ? ReturnType<typeof page<Path>> : never;
const routes = (Object.keys(components) as PagePath[]).map(page) as unknown as RouteOf<PagePath>[];

/** Routes are in the fragment of the address: they work under any path, and the secret of a link never reaches a server. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([signIn, setup, accept, recover, guarded.addChildren(routes)]),
  history: createHashHistory(),
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: Loading,
});

const outside: readonly string[] = [signIn, setup, accept, recover].map(({ path }) => `/${path}`.replace('//', '/'));

/** Goes to the sign-in page before the first page loads, so that a browser without a session does not load the code of both. */
export function skipToSignIn(): void {
  const { pathname, href, search } = router.history.location;
  if (outside.includes(pathname)) return;
  const organization = text(new URLSearchParams(search).get('organization'));
  const to = href === '/' ? undefined : href;
  router.history.replace(router.buildLocation({ to: '/sign-in', search: { to, organization } }).href);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
