import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useRouter,
} from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSessionState } from './session/context.tsx';
import { ErrorPage, NotFound } from './shell/error-pages.tsx';
import { Shell } from './shell/shell.tsx';
import { Loading } from './ui/page.tsx';

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** Pages that only people who are signed in see. Others are led to the sign-in, and back afterwards. */
function Guarded() {
  const { session } = useSessionState();
  if (session) return <Shell key={session.publicKey} />;
  return (
    <div className="p-8">
      <Loading />
      {session === null && <ToSignIn />}
    </div>
  );
}

function ToSignIn() {
  const own = useRouter();
  // Once: while the way there is under way, this page is still shown and has the new address already.
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

const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => guarded, path, component });

const approvalsPage = lazyRouteComponent(() => import('./pages/approvals/approvals.tsx'), 'ApprovalsPage');
const routes = [
  page(
    '/',
    lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
  ),
  page('/approvals', approvalsPage),
  page('/approvals/$activityId', approvalsPage),
  page(
    '/activities',
    lazyRouteComponent(() => import('./pages/activities/activities.tsx'), 'ActivitiesPage'),
  ),
  page(
    '/activities/$activityId',
    lazyRouteComponent(() => import('./pages/activities/activity.tsx'), 'ActivityPage'),
  ),
  page(
    '/wallets',
    lazyRouteComponent(() => import('./pages/wallets/wallets.tsx'), 'WalletsPage'),
  ),
  page(
    '/wallets/$walletId',
    lazyRouteComponent(() => import('./pages/wallets/wallet.tsx'), 'WalletPage'),
  ),
  page(
    '/sign',
    lazyRouteComponent(() => import('./pages/sign/sign.tsx'), 'SignPage'),
  ),
  page(
    '/policies',
    lazyRouteComponent(() => import('./pages/policies/policies.tsx'), 'PoliciesPage'),
  ),
  page(
    '/policies/$policyId',
    lazyRouteComponent(() => import('./pages/policies/policy.tsx'), 'PolicyPage'),
  ),
  page(
    '/limits',
    lazyRouteComponent(() => import('./pages/limits/limits.tsx'), 'LimitsPage'),
  ),
  page(
    '/contacts',
    lazyRouteComponent(() => import('./pages/contacts/contacts.tsx'), 'ContactsPage'),
  ),
  page(
    '/people',
    lazyRouteComponent(() => import('./pages/people/people.tsx'), 'PeoplePage'),
  ),
  page(
    '/organizations',
    lazyRouteComponent(() => import('./pages/organizations/organizations.tsx'), 'OrganizationsPage'),
  ),
  page(
    '/organizations/$organizationId',
    lazyRouteComponent(() => import('./pages/organizations/organization.tsx'), 'OrganizationPage'),
  ),
  page(
    '/webhooks',
    lazyRouteComponent(() => import('./pages/webhooks/webhooks.tsx'), 'WebhooksPage'),
  ),
  page(
    '/network',
    lazyRouteComponent(() => import('./pages/network.tsx'), 'NetworkPage'),
  ),
  page(
    '/settings',
    lazyRouteComponent(() => import('./pages/settings.tsx'), 'SettingsPage'),
  ),
  page(
    '/command-line',
    lazyRouteComponent(() => import('./pages/command-line.tsx'), 'CommandLinePage'),
  ),
  page(
    '/me',
    lazyRouteComponent(() => import('./pages/me.tsx'), 'MePage'),
  ),
] as const;

/** The route is in the fragment of the address: it works under any path, and no link's secret reaches a server or its log. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([signIn, setup, accept, guarded.addChildren(routes)]),
  history: createHashHistory(),
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: Loading,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
