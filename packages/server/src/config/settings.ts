import { z } from 'zod';
import { billingTiers } from './billing-tiers.ts';
import { allRootKeySettings } from './root-key-settings.ts';
import type { Setting } from './setting.ts';
import { blocks, certificates, flag, list, whole } from './setting-values.ts';
import { trustedIssuers } from './trusted-issuers.ts';
import { witnesses } from './witnesses.ts';

export type { Setting } from './setting.ts';

/** All settings of the service. `countersign serve --help`, the environment and the reference are derived from this table. */
export const settings = {
  dataDir: {
    schema: z.string().min(1),
    default: 'countersign-data',
    describe: 'Directory of the embedded database, the root key and the first credentials',
  },
  host: { schema: z.string().min(1), default: '127.0.0.1', describe: 'Address to listen on' },
  port: { schema: whole(0, 65_535), default: '8787', describe: 'Port to listen on; 0 picks a free one' },
  publicUrl: {
    schema: z
      .url('must be an address')
      .regex(/^https?:\/\/[^?#]+$/, 'must begin with http:// or https://, without a query and a fragment')
      .transform((text) => text.replace(/\/+$/, '')),
    describe:
      'Public URL of this server, such as https://keys.example.com, with the path that a proxy adds: links in emails start with it',
  },
  console: {
    schema: z.union([z.enum(['on', 'off']), whole(1, 65_535)], 'must be on, off or a port'),
    default: 'on',
    describe:
      'The web console under /console: on, off, or a separate port that serves the console and the API, while the other port serves only the API',
  },
  compatRoot: {
    schema: flag,
    default: 'false',
    describe:
      'Serve the dialect of the @turnkey packages at the root, for clients that accept a host but no path; the specification then has the base path /spec',
  },
  trustedProxies: {
    schema: blocks.refine((texts) => texts.every((text) => !text.endsWith('/0')), 'must not include every address'),
    default: '',
    describe:
      'Reverse proxies whose X-Forwarded-For is trusted for the client address, as comma-separated CIDR blocks such as 127.0.0.1/32; the header of any other peer is ignored',
  },
  databaseUrl: {
    schema: z.string().min(1),
    describe:
      'PostgreSQL connection URL; without it the embedded database in the data directory is used. Of several hosts (host1:5432,host2:5432) the writable one is used',
    secret: true,
  },
  databasePool: { schema: whole(2, 200), default: '8', describe: 'Maximum connections to PostgreSQL per process' },
  databaseTimeoutSeconds: {
    schema: whole(1, 600),
    default: '5',
    describe:
      'Maximum time of a PostgreSQL statement; a request waits twice as long for a lock. After that it is rejected with 503',
  },
  workers: { schema: whole(1, 64), default: '1', describe: 'Worker processes that share the port and the database' },
  workerTimeoutSeconds: {
    schema: whole(3, 600),
    default: '10',
    describe: 'Seconds without a response after which a worker process is killed and replaced',
  },
  unreadyWhenDegraded: {
    schema: flag,
    default: 'false',
    describe:
      'Respond with 503 at /readyz, instead of 200 with a second line, while the stored state of an organization does not verify',
  },
  ...allRootKeySettings,
  rootKeyGraceSeconds: {
    schema: whole(0, 86_400),
    default: '60',
    describe:
      'How long the service signs with data keys in its memory after a root key in a token or another service was lost; then it wipes them and responds with 503 until the root key returns. 0 stops immediately',
  },
  bindMachine: {
    schema: z.enum(['off', 'machine-id', 'tpm'], 'must be off, machine-id or tpm'),
    default: 'off',
    describe:
      'Bind the data directory to this machine, so that a copy of it does not start on another one: off, machine-id (/etc/machine-id) or tpm (endorsement key, read with tpm2_createek)',
  },
  allowUnsafeDatabase: {
    schema: flag,
    default: 'false',
    describe: 'Start although PostgreSQL may lose acknowledged commits in a crash',
  },
  allowedOrigins: {
    schema: list,
    default: '',
    describe:
      'Browser origins other than its own that may call the API, comma-separated, such as https://app.example.com; * for any; if empty, none',
  },
  webauthnOrigins: {
    schema: list,
    default: '',
    describe:
      'Origins whose passkeys are accepted if an organization and its parent list none, comma-separated; if empty, only the origins of the relying party: its domain and subdomains',
  },
  webauthnRpIds: {
    schema: list,
    default: '',
    describe: 'Relying-party ids whose passkeys are accepted, comma-separated; if empty, the host of the origin',
  },
  webauthnUserVerification: {
    schema: z.enum(['required', 'preferred'], 'must be required or preferred'),
    default: 'required',
    describe:
      'Whether a passkey must verify the person by PIN or biometrics, if an organization and its parent do not set it: required or preferred',
  },
  webauthnAttestationRoots: {
    schema: certificates,
    default: '',
    describe:
      'Root certificates of authenticator manufacturers, in PEM, for FEATURE_NAME_WEBAUTHN_AAGUIDS; usually set as a file with COUNTERSIGN_WEBAUTHN_ATTESTATION_ROOTS_FILE',
  },
  oidcIssuers: {
    schema: trustedIssuers,
    default: '[]',
    describe:
      'Trusted OpenID Connect issuers, as JSON: [{"issuer":"https://…","audiences":["<client id>"]}]; also authorizedParties, allowPrivateAddress, maxTokenSeconds, jwksUri, authorizationEndpoint',
  },
  bindIdentityLinks: {
    schema: flag,
    default: 'true',
    describe:
      'Link an OpenID Connect identity to a user, also in create_users, only with a token whose nonce is the SHA-256 (hex) of the text of the public key that stamps the request, or of the credential id or compressed public key (hex) of a passkey; false for clients that cannot choose the nonce',
  },
  logLevel: { schema: z.enum(['silent', 'error', 'warn', 'info', 'debug']), default: 'info', describe: 'Log level' },
  snapshotMegabytes: {
    schema: whole(1, 65_536),
    default: '256',
    describe:
      'Approximate memory per process for cached organizations. The least recently used are evicted and loaded again on demand',
  },
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
  },
  grantedBillingTiers: {
    schema: list,
    default: '',
    describe:
      'Billing tiers that the operator grants, comma-separated: <tier> to every top-level organization, or <organization id>=<tier> to one; the first organization may activate all',
  },
  smtpUrl: {
    schema: z.string().regex(/^smtps?:\/\/[^\s]+$/, 'must begin with smtp:// or smtps://'),
    describe: 'Mail server, as smtp://host:587 or smtps://host; without it, mail goes to the development mailbox',
    secret: true,
  },
  smtpUser: { schema: z.string().min(1), describe: 'User name for the mail server, if not in the URL' },
  smtpPassword: { schema: z.string().min(1), describe: 'Password for the mail server, if not in the URL', secret: true },
  smtpAllowPlain: {
    schema: flag,
    default: 'false',
    describe: 'Send mail to a server on another machine without TLS: anyone on the network path can read the secrets in it',
  },
  mailFrom: { schema: z.string().min(3), describe: 'Sender of mail, as name@domain or Name <name@domain>' },
  mailSenders: {
    schema: list,
    default: '',
    describe: 'Further senders that requests may use: addresses or @domains, comma-separated',
  },
  mailAppName: { schema: z.string().min(1).max(256), default: 'Countersign', describe: 'Application name in emails' },
  mailTemplateDir: {
    schema: z.string().min(1),
    describe: 'Directory of your own mail templates: <templateId>.html and <templateId>.txt',
  },
  invitationUrl: {
    schema: z.string().regex(/^https?:\/\/.*%s/, 'must be an http or https address with %s in it'),
    describe: 'Page that accepts invitations; %s is replaced by the secret from the email',
  },
  smsUrl: {
    schema: z.url('must be an address').regex(/^https?:/, 'must begin with http:// or https://'),
    describe: 'Gateway for text messages; it receives JSON with id, to and text by POST',
    secret: true,
  },
  smsToken: { schema: z.string().min(1), describe: 'Bearer token for the text message gateway', secret: true },
  maxOneTimeCodes: {
    schema: whole(10, 1_000_000),
    default: '10000',
    describe: 'Maximum active one-time codes in an organization',
  },
  maxWrongCodes: {
    schema: whole(10, 1_000_000),
    default: '1000',
    describe: 'Maximum wrong short one-time codes per day in the requests of one user, such as a backend',
  },
  maxMails: {
    schema: whole(1, 10_000_000),
    default: '10000',
    describe: 'Maximum emails per day sent for the users of a top-level organization, in it and in its sub-organizations',
  },
  maxMailsPerSubOrganization: {
    schema: whole(0, 1_000_000),
    default: '100',
    describe: 'Maximum emails per day sent for the users of one sub-organization',
  },
  maxMailsOfSubOrganizations: {
    schema: whole(0, 10_000_000),
    default: '1000',
    describe: 'Maximum emails per day sent for the users of all sub-organizations of one organization together',
  },
  maxTextMessages: {
    schema: whole(0, 10_000_000),
    default: '1000',
    describe: 'Maximum text messages per day sent for the users of a top-level organization, in it and in its sub-organizations',
  },
  maxTextMessagesPerSubOrganization: {
    schema: whole(0, 1_000_000),
    default: '10',
    describe: 'Maximum text messages per day sent for the users of one sub-organization',
  },
  maxTextMessagesOfSubOrganizations: {
    schema: whole(0, 10_000_000),
    default: '100',
    describe: 'Maximum text messages per day sent for the users of all sub-organizations of one organization together',
  },
  grantedFeatures: {
    schema: list.pipe(z.array(z.enum(['FEATURE_NAME_SMS_AUTH'], 'must be FEATURE_NAME_SMS_AUTH, or empty'))),
    default: '',
    describe:
      'Features that cost the operator money and that every top-level organization may turn on; the first organization always may. A sub-organization may if its parent has turned them on',
  },
  maxWebhookEndpoints: { schema: whole(1, 100), default: '10', describe: 'Maximum webhook endpoints in an organization' },
  maxWebhookTests: {
    schema: whole(0, 100_000),
    default: '100',
    describe: 'Maximum webhook test events of an organization per day',
  },
  maxWaitingEvents: {
    schema: whole(1, 10_000_000),
    default: '20000',
    describe:
      'Maximum undelivered events of a webhook endpoint; it gets no more until there is room, and get_webhook_deliveries counts what it loses',
  },
  maxWaitingEventMegabytes: {
    schema: whole(1, 100_000),
    default: '64',
    describe: 'The same limit in megabytes',
  },
  webhookNetworks: {
    schema: blocks,
    default: '',
    describe: 'Private networks that webhooks may reach, also over plain http: CIDR blocks such as 10.0.0.0/8, comma-separated',
  },
  pushNetworks: {
    schema: blocks,
    default: '',
    describe: 'Private networks that browser push messages may reach, also over plain http: CIDR blocks, comma-separated',
  },
  webhookRetryHours: {
    schema: whole(1, 720),
    default: '24',
    describe: 'How long an event is retried before it is dropped. An endpoint that accepts nothing for this time is disabled',
  },
  logOrigin: {
    schema: z
      .string()
      .max(200)
      .regex(/^[!-*,-~]+$/, 'must be printable ASCII without spaces and plus signs')
      .refine((name) => !name.startsWith('cosignature/'), 'must not begin with cosignature/'),
    describe:
      "Name of the installation's log in its signed checkpoints, such as a host and a path; countersign/<id of the first organization> if it is not set. It names the key too, so do not change it later",
  },
  logAnchor: {
    schema: z.string().min(1),
    describe: 'Second file for the last checkpoint of the log, outside the data directory, for example on another disk',
  },
  witnesses: {
    schema: witnesses,
    default: '',
    describe:
      "Witnesses that cosign the checkpoints of the log, comma-separated: address, # and the key that 'countersign witness' prints",
  },
  requireWitness: {
    schema: whole(10, 86_400),
    describe:
      'Suspend requests if no witness has confirmed the log within this many seconds; without it, a silent witness is only logged',
  },
  logAlarmSeconds: {
    schema: whole(1, 3_600),
    default: '5',
    describe: 'Raise an alarm if an activity that this server executed is not in the log after this many seconds',
  },
  logStopSeconds: {
    schema: whole(5, 86_400),
    default: '30',
    describe:
      'Suspend requests if an activity that this server executed is not in the log after this many seconds; they continue once it is',
  },
  maxConnections: {
    schema: whole(0, 1_000_000),
    default: '10000',
    describe:
      'Maximum connections per process; beyond that, the addresses with the most unproven connections, or the tenant with the most, lose one; 0 for no limit',
  },
  connectionsPerAddress: {
    schema: whole(0, 1_000_000),
    default: '1000',
    describe: 'Maximum connections per process from one address (a /64 of IPv6), except trusted proxies; 0 for no limit',
  },
  maxUnfinishedBodyBytes: {
    schema: whole(1_048_576, 17_179_869_184),
    default: '67108864',
    describe:
      'Maximum bytes of incomplete bodies per process; beyond that, the address or user with the most bytes is rejected, strangers first',
  },
  maxUntakenAnswerBytes: {
    schema: whole(1_048_576, 17_179_869_184),
    default: '268435456',
    describe:
      'Maximum bytes of long responses that are being built or not yet read by clients, per process; beyond that, queries of the address or user with the most bytes are rejected, strangers first',
  },
  maxQueueMs: {
    schema: whole(10, 600_000),
    default: '1500',
    describe:
      'Maximum age of queued requests, in milliseconds; if the oldest stay older for a second, overdue requests are rejected with 503: those of the longest queue, and separately those of clients that have not proved a credential at their address',
  },
  requestsPerAddress: {
    schema: whole(0, 1_000_000),
    default: '2000',
    describe:
      'Maximum requests per second from one address (a /64 of IPv6), per process, with a burst of five times that; 0 for no limit',
  },
  failedStampsPerAddress: {
    schema: whole(0, 1_000_000),
    default: '20',
    describe:
      'Maximum invalid stamps per second from one address, per process, with a burst of ten times that. Credentials that were valid there before have their own count; 0 for no limit',
  },
  requestsPerCredential: {
    schema: whole(0, 1_000_000),
    default: '1000',
    describe: 'Maximum requests per second with one credential, per process, with a burst of five times that; 0 for no limit',
  },
  requestsPerOrganization: {
    schema: whole(0, 1_000_000),
    default: '2000',
    describe:
      'Maximum requests per second of the users of one organization, per process, with a burst of five times that; 0 for no limit',
  },
  loginsPerCredential: {
    schema: whole(0, 1_000_000),
    default: '50',
    describe:
      'Maximum sessions per second opened with one credential, per process, with a burst of ten times that; 0 for no limit',
  },
  signInsPerAddress: {
    schema: whole(0, 1_000_000),
    default: '1',
    describe:
      'Maximum requests per second without a stamp, to sign in by email code or OpenID Connect, from one address (a /64 of IPv6), per process, with a burst of twenty times that; 0 for no limit',
  },
  signInsPerOrganization: {
    schema: whole(0, 1_000_000),
    default: '5',
    describe: 'The same for one organization, from all addresses, with a burst of twenty times that; 0 for no limit',
  },
  requestTimeoutSeconds: { schema: whole(1, 600), default: '30', describe: 'Maximum time for a request to arrive' },
  keepAliveSeconds: { schema: whole(1, 3600), default: '72', describe: 'How long an idle connection stays open' },
  lameDuckSeconds: {
    schema: whole(0, 600),
    default: '0',
    describe:
      'How long a stopping server keeps serving while /readyz returns 503, so that a load balancer sends new requests elsewhere; longer than two of its checks',
  },
  shutdownSeconds: { schema: whole(1, 600), default: '20', describe: 'How long a stopping server waits for requests in flight' },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

type Parsed<N extends SettingName> = z.output<(typeof settings)[N]['schema']>;

/** The parsed settings. A setting without a default may be absent. */
export type Config = {
  readonly [N in SettingName as (typeof settings)[N] extends { default: string } ? N : never]: Parsed<N>;
} & {
  readonly [N in SettingName as (typeof settings)[N] extends { default: string } ? never : N]?: Parsed<N>;
};
