import { isMeetable, type JudgedOrganization } from '@countersign/judgement';
import type { Config } from '../../config/settings.ts';
import { isLoopbackHost } from '../../network/public-address.ts';
import { mailStyle } from '../../notify/mail/mail-style.ts';
import { isDevelopment } from '../../notify/mail/mailbox.ts';
import type { OrganizationRecord } from '../../organizations/records.ts';
import type { StoreDescription } from '../../store/store.ts';

/** Something that does not stop the service, but that an operator should know. */
export interface Advice {
  /** The check. */
  readonly check: string;
  /** The finding, and its risk. */
  readonly detail: string;
  /** The fix. */
  readonly fix: string;
}

/** Warns of settings that expose the service to other machines, or to any website. */
export function networkAdvice(config: Config): readonly Advice[] {
  const { host, tlsCert, trustedProxies, allowedOrigins, witnesses } = config;
  const isExposed = !isLoopbackHost(host) && tlsCert === undefined;
  const isProxied = trustedProxies.length > 0;
  const advice: Advice[] = [];
  if (isExposed && !isProxied) {
    advice.push({
      check: 'network',
      detail: `the service listens on ${host} with plain HTTP and without a trusted proxy: anyone on the network path can read requests and responses, including one-time codes and identity tokens`,
      fix: 'Set --tls-cert and --tls-key, or put a TLS proxy in front and pass its address with --trusted-proxies, or listen on 127.0.0.1.',
    });
  }
  if (allowedOrigins.includes('*')) {
    advice.push({
      check: 'browser origins',
      detail: `every website may call the service (--allowed-origins is *): any page that a person opens can send requests from that person's machine and network, and read the responses`,
      fix: 'List the origins of your own pages with --allowed-origins, for example https://app.example.com.',
    });
  }
  for (const { url, key } of witnesses) {
    const { protocol, hostname } = new URL(url);
    if (protocol === 'https:' || isLoopbackHost(hostname)) continue;
    advice.push({
      check: 'witness',
      detail: `the witness ${key.name} is contacted over plain HTTP: anyone on the network path can stop the service with a false alarm`,
      fix: 'Put a TLS proxy in front of the witness, and pass its https address with --witnesses.',
    });
  }
  return advice;
}

/** Warns if invitation mails carry a key without a link to a page that accepts it. */
export function mailAdvice(config: Config): readonly Advice[] {
  const { invitationUrl, consoleUrl } = mailStyle(config);
  if (isDevelopment(config) || invitationUrl !== undefined || consoleUrl !== undefined) return [];
  return [
    {
      check: 'mail',
      detail:
        'invitation mails contain a key and no link, because the public address of the service is not known: people must open the console themselves and paste the key',
      fix: 'Pass the address at which people reach the console with --public-url, or that of your own page with --invitation-url.',
    },
  ];
}

/** The warning about a standby that may take over without the last commits. */
export function standbyAdvice({ asynchronousStandbys }: Pick<StoreDescription, 'asynchronousStandbys'>): readonly Advice[] {
  if (asynchronousStandbys === 0) return [];
  return [
    {
      check: 'standby',
      detail: `PostgreSQL does not wait for its standby (${asynchronousStandbys} connected; synchronous_standby_names is empty, or synchronous_commit is local): if the standby takes over, acknowledged activities can be lost, and the service then stops until you accept the loss`,
      fix: "Add the standby to synchronous_standby_names with synchronous_commit = on, or be prepared to run 'countersign recover' after a failover.",
    },
  ];
}

/** Warns of a connection to PostgreSQL that others on the network path can read or take over. */
export function connectionAdvice({ facts: { connection } }: Pick<StoreDescription, 'facts'>): readonly Advice[] {
  if (connection !== 'plain' && connection !== 'unverified') return [];
  const risk = connection === 'plain' ? 'read' : 'take over';
  return [
    {
      check: 'database connection',
      detail: `the connection to PostgreSQL is ${connection === 'plain' ? 'not encrypted' : 'encrypted, and the server is not verified'}: anyone on the network path can ${risk} it, with the password of the database`,
      fix: 'Write sslmode=verify-full in the database URL, with sslrootcert for a private authority.',
    },
  ];
}

/** Whether one of several root users can do everything alone. */
export function hasOpenQuorum({ rootQuorum: { threshold, userIds }, deletedAtMs }: OrganizationRecord): boolean {
  return deletedAtMs === undefined && threshold === 1 && userIds.length > 1;
}

/** The warning about organizations with an open quorum. Empty if there are none. */
export function quorumAdvice(organizationIds: readonly string[]): readonly Advice[] {
  const [first] = organizationIds;
  if (first === undefined) return [];
  const which =
    organizationIds.length === 1
      ? `organization ${first} has`
      : `${organizationIds.length} organizations, including ${first}, have`;
  return [
    {
      check: 'root quorum',
      detail: `${which} several root users and a root quorum threshold of 1: each root user can do everything alone, regardless of policies, and so can anyone who steals one of their credentials`,
      fix: "Raise the threshold to 2 or more with 'countersign update-root-quorum'.",
    },
  ];
}

/** The ids of users who lack the credentials for one of their MFA policies, and so approve nothing that it covers. */
export function usersWithoutFactors(organization: JudgedOrganization): readonly string[] {
  const policies = [...organization.records.mfaPolicy.values()].filter((policy) => !isMeetable(organization, policy));
  return [...new Set(policies.map(({ userId }) => userId))];
}

/** The warning about such users. Empty if there are none. */
export function factorAdvice(userIds: readonly string[]): readonly Advice[] {
  const [first] = userIds;
  if (first === undefined) return [];
  const which = userIds.length === 1 ? `user ${first} has` : `${userIds.length} users, including ${first}, have`;
  return [
    {
      check: 'MFA policies',
      detail: `${which} an MFA policy that their credentials cannot meet, so their approvals do not count: each step needs a separate credential, and a session counts as the credential that opened it`,
      fix: 'Ask the root quorum of the organization to add a credential, or to change the policy with update_mfa_policy.',
    },
  ];
}
