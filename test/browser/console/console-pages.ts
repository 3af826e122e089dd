import type { Caller } from '../../support/caller.ts';
import { createWallet } from '../../support/world.ts';
import type { Person } from './person.ts';
import { visit } from './story.ts';

/** Every page behind the sign-in, and a text that is there when the page is. */
export const consolePages = [
  { name: 'overview', route: '/', text: 'Latest activities' },
  { name: 'approvals', route: '/approvals', text: 'Requests that need your decision.' },
  { name: 'activities', route: '/activities', text: 'All requests to the service' },
  { name: 'wallets', route: '/wallets', text: 'A wallet is a seed' },
  { name: 'send', route: '/send', text: 'Before you submit a payment' },
  { name: 'sign', route: '/sign', text: 'Paste a transaction' },
  { name: 'secrets', route: '/secrets', text: 'Passwords, tokens and other texts' },
  { name: 'policies', route: '/policies', text: 'A request needs a policy' },
  { name: 'policy', route: '/policies/new', text: 'No problem found' },
  { name: 'limits', route: '/limits', text: 'Spending limits over a period' },
  { name: 'contacts', route: '/contacts', text: 'Addresses that the organization knows' },
  { name: 'people', route: '/people', text: 'The people in this organization' },
  { name: 'organizations', route: '/organizations', text: 'Customers or departments' },
  { name: 'webhooks', route: '/webhooks', text: 'The service posts every step' },
  { name: 'network', route: '/network', text: 'Addresses that may call the service' },
  { name: 'settings', route: '/settings', text: 'Settings for the whole organization.' },
  { name: 'me', route: '/me', text: 'What can act in your name' },
] as const;

/** Pages of single objects, of the organization that `fill` made, and a page with a link of the command line. */
export async function objectPages(root: Caller) {
  const { walletId } = await createWallet(root);
  const [policy] = (await root.data('listPolicies')).policies;
  const [activity] = (await root.data('listActivities', { paginationOptions: { limit: '1' } })).activities;
  const login = new URLSearchParams({ organization: root.organizationId, key: `02${'ab'.repeat(32)}` });
  return [
    { name: 'wallet', route: `/wallets/${walletId}`, text: 'Accounts' },
    { name: 'existing policy', route: `/policies/${policy.policyId}`, text: 'No problem found' },
    { name: 'activity', route: `/activities/${activity.id}`, text: 'How it was decided' },
    { name: 'command line', route: `/command-line?${login}`, text: 'Does your terminal show the same code?' },
  ];
}

/** Pages that need no session. */
export const openPages = [
  { name: 'sign in', route: '/sign-in', text: 'Other sign-in methods' },
  { name: 'setup', route: '/setup', text: 'Register your passkey' },
  { name: 'accept', route: '/accept', text: 'Accept your invitation' },
  { name: 'recover', route: '/recover', text: 'Recover your access' },
] as const;

/** Goes to a page and waits until nothing on it is loading. */
export async function openPage(person: Person, { route, text }: { route: string; text: string }): Promise<void> {
  await visit(person, route);
  await person.page.getByText(text).first().waitFor();
  await person.page.locator('main [role=status]').first().waitFor({ state: 'detached' });
}

/**
 * Fills an organization with one of everything, by the API. `name` marks every text that somebody enters, and `visible` those in which
 * the service accepts displayed characters alone.
 */
export async function fill(root: Caller, name: (what: string) => string, visible = name): Promise<void> {
  await root.result('createContacts', {
    contacts: [
      {
        label: visible('Globex'),
        address: '0x52908400098527886E0F7030069857D2E4169EE7',
        contactTags: ['payroll'],
        notes: name('Note'),
      },
    ],
  });
  await root.result('createVelocityControl', {
    name: name('Daily USDC'),
    identifier: 'daily_usdc',
    dataSource: {
      chainAssetTransfer: {
        definition: [{ caip19: 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', decimals: '6' }],
      },
    },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      threshold: '100000',
      window: { calendar: { unit: 'VELOCITY_CONTROL_CALENDAR_UNIT_DAY', timeZone: 'UTC' } },
      groupBy: { organization: {} },
    },
  });
  await root.result('createPolicy', {
    policyName: name('Make wallets'),
    effect: 'EFFECT_ALLOW',
    condition: "activity.kind in ['CREATE_WALLET', 'CREATE_WALLET_ACCOUNTS']",
    consensus: 'approvers.count() >= 1',
    notes: name('Note'),
  });
  await root.result('createPrivateKeys', {
    privateKeys: [
      {
        privateKeyName: visible('Hot key'),
        curve: 'CURVE_SECP256K1',
        privateKeyTags: [],
        addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
      },
    ],
  });
  await root.result('createWebhookEndpoint', { name: name('Ledger'), url: 'https://127.0.0.1:9/hooks/countersign' });
  await root.result('setIpAllowlist', { enabled: false, rules: [{ cidr: '192.0.2.0/24', label: name('Office') }] });
  await root.result('createSubOrganization', {
    subOrganizationName: visible('Customer'),
    rootQuorumThreshold: 1,
    rootUsers: [
      { userName: visible('Customer'), userEmail: 'customer@example.com', apiKeys: [], authenticators: [], oauthProviders: [] },
    ],
  });
}
