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
    describe: 'Folder of the embedded database, the root key and the first credentials',
  },
  host: { schema: z.string().min(1), default: '127.0.0.1', describe: 'Address to listen on' },
  port: { schema: whole(0, 65_535), default: '8787', describe: 'Port to listen on; 0 picks a free one' },
  publicUrl: {
    schema: z
      .url('must be an address')
      .regex(/^https?:\/\/[^?#]+$/, 'must begin with http:// or https://, without a query and a fragment')
      .transform((text) => text.replace(/\/+$/, '')),
    describe:
      'Where people reach this server, as https://keys.example.com or with the path that a proxy adds: links in mails begin with it',
  },
  console: {
    schema: z.union([z.enum(['on', 'off']), whole(1, 65_535)], 'must be on, off or a port'),
    default: 'on',
    describe:
      'The web console under /console: on, off, or a port of its own, which has the console and the API, while the other port has the API without the console',
  },
  compatRoot: {
    schema: flag,
    default: 'false',
    describe:
      'Serve the dialect of the @turnkey packages at the root, for clients that take a host and no path; the specification then has the base path /spec',
  },
  trustedProxies: {
    schema: blocks.refine(
      (texts) => texts.every((text) => !text.endsWith('/0')),
      'must not let every client choose its own address',
    ),
    default: '',
    describe:
      'Reverse proxies whose X-Forwarded-For is trusted for the client address, as comma-separated CIDR blocks such as 127.0.0.1/32; the header is ignored from any other peer',
  },
  databaseUrl: {
    schema: z.string().min(1),
    describe:
      'PostgreSQL connection URL; without it the embedded database in the data directory is used. Of several hosts (host1:5432,host2:5432) the one that takes writes is used',
    secret: true,
  },
  databasePool: { schema: whole(2, 200), default: '8', describe: 'Connections to PostgreSQL of each process, at the most' },
  databaseTimeoutSeconds: {
    schema: whole(1, 600),
    default: '5',
    describe: 'How long PostgreSQL may take for a statement; after that the request is refused with 503',
  },
  workers: { schema: whole(1, 64), default: '1', describe: 'Worker processes that share the port and the database' },
  ...allRootKeySettings,
  allowUnsafeDatabase: {
    schema: flag,
    default: 'false',
    describe: 'Start although PostgreSQL may lose acknowledged commits in a crash',
  },
  allowedOrigins: { schema: list, default: '*', describe: 'Browser origins that may call the API, comma-separated; * for any' },
  webauthnOrigins: {
    schema: list,
    default: '',
    describe:
      'Origins whose passkeys are accepted where an organization and its parent list none, comma-separated; empty accepts the origins of the relying party alone: its own domain and those below it',
  },
  webauthnRpIds: {
    schema: list,
    default: '',
    describe: 'Relying-party ids whose passkeys are accepted, comma-separated; empty takes the host of the origin',
  },
  webauthnUserVerification: {
    schema: z.enum(['required', 'preferred'], 'must be required or preferred'),
    default: 'required',
    describe:
      'Whether a passkey must verify the person by PIN or biometrics, where an organization and its parent say nothing: required or preferred',
  },
  webauthnAttestationRoots: {
    schema: certificates,
    default: '',
    describe:
      'Root certificates of makers of authenticators, in PEM, which FEATURE_NAME_WEBAUTHN_AAGUIDS relies on; usually given as a file with COUNTERSIGN_WEBAUTHN_ATTESTATION_ROOTS_FILE',
  },
  oidcIssuers: {
    schema: trustedIssuers,
    default: '[]',
    describe:
      'OpenID Connect issuers whose tokens sign users in, as JSON: [{"issuer":"https://…","audiences":["<client id>"]}]; also authorizedParties, allowPrivateAddress, maxTokenSeconds, jwksUri, authorizationEndpoint',
  },
  bindIdentityLinks: {
    schema: flag,
    default: 'true',
    describe:
      'Link an OpenID Connect identity to an existing user only by a token whose nonce is the SHA-256 of the public key that stamps the request; false for clients that cannot choose the nonce',
  },
  logLevel: { schema: z.enum(['silent', 'error', 'warn', 'info', 'debug']), default: 'info', describe: 'How much to log' },
  snapshotMegabytes: {
    schema: whole(1, 65_536),
    default: '256',
    describe:
      'About how much memory each process uses for organizations that it keeps at hand. Those that were used longest ago are read again when they are needed',
  },
  maxBodyBytes: { schema: whole(1024, 16_777_216), default: '1048576', describe: 'Largest request body' },
  maxPayloads: { schema: whole(1, 10_000), default: '1000', describe: 'Most payloads in one sign_raw_payloads' },
  maxUsers: { schema: whole(1, 100_000), default: '100', describe: 'Most users in an organization' },
  maxWallets: { schema: whole(1, 1_000_000), default: '100', describe: 'Most wallets in an organization' },
  maxDeletedAccounts: {
    schema: whole(1, 10_000),
    default: '1000',
    describe: 'Most deleted accounts of a wallet that still exists; the wallet keeps a list of them',
  },
  maxPrivateKeys: { schema: whole(1, 1_000_000), default: '1000', describe: 'Most private keys in an organization' },
  maxPolicies: { schema: whole(1, 100_000), default: '100', describe: 'Most policies in an organization' },
  maxSmartContractInterfaces: {
    schema: whole(1, 1000),
    default: '100',
    describe: 'Most stored ABIs and IDLs in an organization',
  },
  maxContacts: { schema: whole(1, 10_000), default: '1000', describe: 'Most contacts in the address book of an organization' },
  maxTokens: { schema: whole(1, 10_000), default: '1000', describe: 'Most tokens that an organization vouches for' },
  maxVelocityControls: { schema: whole(1, 1000), default: '100', describe: 'Most limits over time in an organization' },
  maxOpenActivities: {
    schema: whole(1, 10_000),
    default: '100',
    describe: 'Most activities of a user that wait for approvals at a time',
  },
  maxKeptRefusals: {
    schema: whole(0, 1_000_000),
    default: '1000',
    describe:
      'Most refused activities of a user that each process keeps in a day; further ones are refused and leave no trace; 0 for no limit',
  },
  maxMegabytes: {
    schema: whole(0, 1_000_000),
    default: '0',
    describe:
      'Most megabytes of activities that each process stores in a day for the users of a top-level organization; more come back evenly over the day; 0 for no limit',
  },
  maxMegabytesPerSubOrganization: {
    schema: whole(0, 1_000_000),
    default: '0',
    describe: 'The same for the users of one sub-organization; 0 for no limit',
  },
  maxMegabytesOfSubOrganizations: {
    schema: whole(0, 1_000_000),
    default: '0',
    describe: 'The same for the users of all sub-organizations of one organization together; 0 for no limit',
  },
  maxTags: {
    schema: whole(1, 100_000),
    default: '100',
    describe: 'Most tags in an organization, those of users and of private keys together',
  },
  maxInvitations: { schema: whole(1, 10_000), default: '100', describe: 'Most open invitations in an organization' },
  maxIpAllowlistRules: { schema: whole(1, 1000), default: '100', describe: 'Most rules in an IP allowlist' },
  maxUsedTokens: {
    schema: whole(1, 10_000),
    default: '100',
    describe: 'Most sign-ins of a user with OpenID Connect tokens that have not expired',
  },
  maxSessionSeconds: {
    schema: whole(60, 999_999_999),
    default: '2592000',
    describe: 'Greatest lifetime of a session, counted from the sign-in; organizations may set less',
  },
  maxMfaPolicies: { schema: whole(1, 100), default: '20', describe: 'Most MFA policies of a user' },
  maxSessionProfiles: { schema: whole(1, 10_000), default: '100', describe: 'Most session profiles in an organization' },
  maxCredentials: { schema: whole(1, 1000), default: '10', describe: 'Most credentials of a kind that a user may hold' },
  billingTiers: {
    schema: billingTiers,
    default: '{}',
    describe: 'Tiers that a top-level organization may activate, as JSON: {"<name>":{"maxUsers":500,"maxWallets":1000}}',
  },
  smtpUrl: {
    schema: z.string().regex(/^smtps?:\/\/[^\s]+$/, 'must begin with smtp:// or smtps://'),
    describe: 'Mail server, as smtp://host:587 or smtps://host; without it mail goes to the development mailbox',
    secret: true,
  },
  smtpUser: { schema: z.string().min(1), describe: 'User name at the mail server, if not in the URL' },
  smtpPassword: { schema: z.string().min(1), describe: 'Password at the mail server, if not in the URL', secret: true },
  smtpAllowPlain: {
    schema: flag,
    default: 'false',
    describe: 'Send mail to a server on another machine without TLS: anyone on the network path can read the secrets in it',
  },
  mailFrom: { schema: z.string().min(3), describe: 'The sender of mail, as name@domain or Name <name@domain>' },
  mailSenders: {
    schema: list,
    default: '',
    describe: 'Further senders that requests may name: addresses or @domains, comma-separated',
  },
  mailAppName: { schema: z.string().min(1).max(256), default: 'Countersign', describe: 'The application name in mails' },
  mailTemplateDir: {
    schema: z.string().min(1),
    describe: 'Folder of your own mail templates: <templateId>.html and <templateId>.txt',
  },
  invitationUrl: {
    schema: z.string().regex(/^https?:\/\/.*%s/, 'must be an http or https address with %s in it'),
    describe: 'The page that accepts invitations; %s stands for the secret from the mail',
  },
  smsUrl: {
    schema: z.url('must be an address').regex(/^https?:/, 'must begin with http:// or https://'),
    describe: 'Gateway for text messages; it receives a POST of JSON with id, to and text',
    secret: true,
  },
  smsToken: { schema: z.string().min(1), describe: 'Bearer token for the text message gateway', secret: true },
  maxOneTimeCodes: {
    schema: whole(10, 1_000_000),
    default: '10000',
    describe: 'Most active one-time codes in an organization',
  },
  maxWrongCodes: {
    schema: whole(10, 1_000_000),
    default: '1000',
    describe: 'Most wrong short one-time codes that the requests of one user, such as a backend, may try in a day',
  },
  maxMails: {
    schema: whole(1, 10_000_000),
    default: '10000',
    describe: 'Most mails in a day that the users of a top-level organization have sent, in it and in its sub-organizations',
  },
  maxMailsPerSubOrganization: {
    schema: whole(0, 1_000_000),
    default: '100',
    describe: 'Most mails in a day that the users of one sub-organization have sent by themselves',
  },
  maxMailsOfSubOrganizations: {
    schema: whole(0, 10_000_000),
    default: '1000',
    describe: 'Most mails in a day that the users of all sub-organizations of one organization have sent by themselves',
  },
  maxTextMessages: {
    schema: whole(0, 10_000_000),
    default: '1000',
    describe:
      'Most text messages in a day that the users of a top-level organization have sent, in it and in its sub-organizations',
  },
  maxTextMessagesPerSubOrganization: {
    schema: whole(0, 1_000_000),
    default: '10',
    describe: 'Most text messages in a day that the users of one sub-organization have sent by themselves',
  },
  maxTextMessagesOfSubOrganizations: {
    schema: whole(0, 10_000_000),
    default: '100',
    describe: 'Most text messages in a day that the users of all sub-organizations of one organization have sent by themselves',
  },
  grantedFeatures: {
    schema: list.pipe(z.array(z.enum(['FEATURE_NAME_SMS_AUTH'], 'must be FEATURE_NAME_SMS_AUTH, or empty'))),
    default: '',
    describe:
      'Features that cost the operator and that every top-level organization may turn on; the first organization may without. A sub-organization may where its parent has',
  },
  maxWebhookEndpoints: { schema: whole(1, 100), default: '10', describe: 'Most webhook endpoints in an organization' },
  maxWebhookTests: { schema: whole(0, 100_000), default: '100', describe: 'Most test events of an organization in a day' },
  webhookNetworks: {
    schema: blocks,
    default: '',
    describe: 'Private networks that webhooks may go to, also by plain http: CIDR blocks such as 10.0.0.0/8, comma-separated',
  },
  pushNetworks: {
    schema: blocks,
    default: '',
    describe: 'Private networks in which push services of browsers may be, also by plain http: CIDR blocks, comma-separated',
  },
  webhookRetryHours: {
    schema: whole(1, 720),
    default: '24',
    describe: 'How long to keep an event for a receiver that does not take it',
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
    describe:
      'File outside the data directory, such as on another disk, in which the last checkpoint of the log is noted and compared too',
  },
  witnesses: {
    schema: witnesses,
    default: '',
    describe:
      "Witnesses that cosign the checkpoints of the log, comma-separated: each is its address, # and the key that 'countersign witness' prints",
  },
  requireWitness: {
    schema: whole(10, 86_400),
    describe:
      'Carry nothing out while no witness has confirmed the log within this many seconds; without it a silent witness is logged',
  },
  maxConnections: { schema: whole(0, 1_000_000), default: '10000', describe: 'Most connections to each process; 0 for no limit' },
  connectionsPerAddress: {
    schema: whole(0, 1_000_000),
    default: '1000',
    describe: 'Most connections to each process from one address (a /64 of IPv6), but for trusted proxies; 0 for no limit',
  },
  maxUnfinishedBodyBytes: {
    schema: whole(1_048_576, 17_179_869_184),
    default: '67108864',
    describe: 'Most bytes of bodies that are still arriving, in each process; beyond it the address with most of them is refused',
  },
  maxUntakenAnswerBytes: {
    schema: whole(1_048_576, 17_179_869_184),
    default: '268435456',
    describe:
      'Most bytes of long responses that are being built or that clients have not read yet, in each process; beyond it, queries of the address with most of them are rejected',
  },
  maxQueueMs: {
    schema: whole(10, 600_000),
    default: '1500',
    describe:
      'How old waiting requests may be, in milliseconds; where the oldest stay older for a second, whoever has most of them waiting is refused with 503',
  },
  requestsPerAddress: {
    schema: whole(0, 1_000_000),
    default: '2000',
    describe:
      'Most requests in a second from one address (a /64 of IPv6), to each process; five times that at once; 0 for no limit',
  },
  failedStampsPerAddress: {
    schema: whole(0, 1_000_000),
    default: '20',
    describe:
      'Most stamps in a second from one address that do not verify, to each process; ten times that at once. Credentials that were good there before have a count of their own; 0 for no limit',
  },
  requestsPerCredential: {
    schema: whole(0, 1_000_000),
    default: '1000',
    describe: 'Most requests in a second with one credential, to each process; five times that at once; 0 for no limit',
  },
  requestsPerOrganization: {
    schema: whole(0, 1_000_000),
    default: '2000',
    describe:
      'Most requests in a second of the users of one organization, to each process; five times that at once; 0 for no limit',
  },
  loginsPerCredential: {
    schema: whole(0, 1_000_000),
    default: '50',
    describe: 'Most sessions in a second that one credential opens, on each process; ten times that at once; 0 for no limit',
  },
  signInsPerAddress: {
    schema: whole(0, 1_000_000),
    default: '1',
    describe:
      'Most requests in a second without a stamp, to sign in by e-mail code or OpenID Connect, from one address (a /64 of IPv6), to each process; twenty times that at once; 0 for no limit',
  },
  signInsPerOrganization: {
    schema: whole(0, 1_000_000),
    default: '5',
    describe: 'The same for one organization, from all addresses; twenty times that at once; 0 for no limit',
  },
  requestTimeoutSeconds: { schema: whole(1, 600), default: '30', describe: 'Longest time a request may take to arrive' },
  keepAliveSeconds: { schema: whole(1, 3600), default: '72', describe: 'How long an idle connection is kept' },
  lameDuckSeconds: {
    schema: whole(0, 600),
    default: '0',
    describe:
      'How long a stopping server goes on as before, but for /readyz, so that a balancer sends new requests elsewhere; longer than two of its checks',
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
