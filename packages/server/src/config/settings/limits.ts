import { billingTiers } from '../billing-tiers.ts';
import type { Setting } from '../setting.ts';
import { list, whole } from '../setting-values.ts';

/** What an organization may have. */
export const limitSettings = {
  maxBodyBytes: { schema: whole(1024, 16_777_216), default: '1048576', describe: 'Largest request body' },
  maxPayloads: { schema: whole(1, 10_000), default: '1000', describe: 'Maximum payloads in one sign_raw_payloads' },
  maxUsers: { schema: whole(1, 100_000), default: '100', describe: 'Maximum users in an organization' },
  maxWallets: { schema: whole(1, 1_000_000), default: '100', describe: 'Maximum wallets in an organization' },
  maxDeletedAccounts: {
    schema: whole(1, 10_000),
    default: '1000',
    describe: 'Maximum deleted accounts of a wallet that still exists; the wallet stores a list of them',
  },
  maxPrivateKeys: { schema: whole(1, 1_000_000), default: '1000', describe: 'Maximum private keys in an organization' },
  maxSecrets: {
    schema: whole(1, 10_000),
    default: '100',
    describe: 'Maximum secrets in an organization, of at most 16,384 bytes each',
  },
  maxOauth2Credentials: { schema: whole(1, 1000), default: '20', describe: 'Maximum OAuth 2 credentials in an organization' },
  maxPolicies: { schema: whole(1, 100_000), default: '100', describe: 'Maximum policies in an organization' },
  maxPolicyKilobytes: {
    schema: whole(1, 1_000_000),
    default: '4096',
    describe:
      'Maximum kilobytes of the expressions of all policies in an organization; one that has more keeps them, and can only shorten and remove policies',
  },
  maxSmartContractInterfaces: {
    schema: whole(1, 1000),
    default: '100',
    describe: 'Maximum stored ABIs and IDLs in an organization',
  },
  maxContacts: { schema: whole(1, 10_000), default: '1000', describe: 'Maximum contacts in the address book of an organization' },
  maxTokens: { schema: whole(1, 10_000), default: '1000', describe: 'Maximum tokens in the token list of an organization' },
  maxVelocityControls: { schema: whole(1, 1000), default: '100', describe: 'Maximum spending limits in an organization' },
  maxOpenActivities: {
    schema: whole(1, 10_000),
    default: '100',
    describe: 'Maximum pending activities of a user',
  },
  maxKeptRefusals: {
    schema: whole(0, 1_000_000),
    default: '1000',
    describe:
      'Maximum denied activities of a user that each process stores per day; further ones are denied but not stored; 0 for no limit',
  },
  maxMegabytes: {
    schema: whole(0, 1_000_000),
    default: '20000',
    describe:
      'Maximum megabytes that each process stores per day for the activities of users of a top-level organization: activities, records, log, counters of spending limits, queued messages and events; the quota refills evenly over the day, and deletions and sign-ins may exceed it by a tenth; 0 for no limit',
  },
  maxMegabytesPerSubOrganization: {
    schema: whole(0, 1_000_000),
    default: '1000',
    describe: 'The same for the users of one sub-organization; 0 for no limit',
  },
  maxMegabytesOfSubOrganizations: {
    schema: whole(0, 1_000_000),
    default: '100000',
    describe: 'The same for the users of all sub-organizations of one organization together; 0 for no limit',
  },
  maxSignUps: {
    schema: whole(0, 1_000_000),
    default: '1000',
    describe: 'Maximum sub-organizations per day that people without an account get through the auth proxy of an organization',
  },
  maxTags: {
    schema: whole(1, 100_000),
    default: '100',
    describe: 'Maximum tags in an organization, of users and private keys together',
  },
  maxInvitations: { schema: whole(1, 10_000), default: '100', describe: 'Maximum open invitations in an organization' },
  maxIpAllowlistRules: { schema: whole(1, 1000), default: '100', describe: 'Maximum rules in an IP allowlist' },
  maxUsedTokens: {
    schema: whole(1, 10_000),
    default: '100',
    describe: 'Maximum sign-ins of a user with OpenID Connect tokens that have not expired',
  },
  maxSessionSeconds: {
    schema: whole(60, 999_999_999),
    default: '2592000',
    describe: 'Maximum lifetime of a session from sign-in; organizations can set less',
  },
  maxMfaPolicies: { schema: whole(1, 100), default: '20', describe: 'Maximum MFA policies of a user' },
  maxSessionProfiles: { schema: whole(1, 10_000), default: '100', describe: 'Maximum session profiles in an organization' },
  maxCredentials: { schema: whole(1, 1000), default: '10', describe: 'Maximum credentials of each kind of a user' },
  billingTiers: {
    schema: billingTiers,
    default: '{}',
    describe: 'Billing tiers that a top-level organization can activate, as JSON: {"<name>":{"maxUsers":500,"maxWallets":1000}}',
    form: 'json',
  },
  grantedBillingTiers: {
    schema: list,
    default: '',
    describe:
      'Billing tiers that the operator grants, comma-separated: <tier> to every top-level organization, or <organization id>=<tier> to one; the first organization may activate all',
    form: 'list',
  },
} as const satisfies Record<string, Setting>;
