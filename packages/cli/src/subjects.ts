import type { Subject } from '@countersign/contract';

/** The groups of operations in help texts and the reference, in order. */
export const subjectTitles: Readonly<Record<Subject, string>> = {
  organizations: 'Organizations',
  users: 'Users',
  credentials: 'Credentials',
  wallets: 'Wallets',
  keys: 'Private keys',
  chains: 'Chains',
  signing: 'Signing',
  policies: 'Policies',
  'address-book': 'Address book and tokens',
  consensus: 'Approvals',
  'sign-in': 'Sign-in and sessions',
  transfer: 'Import and export',
  secrets: 'Secrets',
  webhooks: 'Webhooks',
  activities: 'Activities',
};
