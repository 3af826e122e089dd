import type { Config } from './config/settings.ts';
import { isLoopbackHost } from './network/public-address.ts';
import type { OrganizationRecord } from './organizations/records.ts';

/** A choice that the service runs with, but that an operator should know of. */
export interface Advice {
  /** What was looked at. */
  readonly check: string;
  /** What was found, and why it matters. */
  readonly detail: string;
  /** What to do. */
  readonly fix: string;
}

/** Says which settings lay the service open to other machines, or to any website. */
export function networkAdvice({ host, trustedProxies, allowedOrigins }: Config): readonly Advice[] {
  const isExposed = !isLoopbackHost(host);
  const isProxied = trustedProxies.length > 0;
  const advice: Advice[] = [];
  if (isExposed && !isProxied) {
    advice.push({
      check: 'network',
      detail: `the service listens on ${host} with plain HTTP and without a trusted proxy: anyone on the network path can read requests and answers, one-time codes and identity tokens among them`,
      fix: 'Put a TLS proxy in front and name its address with --trusted-proxies, or listen on 127.0.0.1.',
    });
  }
  if ((isExposed || isProxied) && allowedOrigins.includes('*')) {
    advice.push({
      check: 'browser origins',
      detail: `other machines can reach the service, and every website may call it (--allowed-origins is *): a page that somebody opens can send requests and read the answers from that person's network`,
      fix: 'Name the origins of your own pages with --allowed-origins, for example https://app.example.com.',
    });
  }
  return advice;
}

/** Whether one of several root users can do everything alone. */
export function hasOpenQuorum({ rootQuorum: { threshold, userIds }, deletedAtMs }: OrganizationRecord): boolean {
  return deletedAtMs === undefined && threshold === 1 && userIds.length > 1;
}

/** Says what it means that these organizations have an open quorum; nothing where there are none. */
export function quorumAdvice(organizationIds: readonly string[]): readonly Advice[] {
  const [first] = organizationIds;
  if (first === undefined) return [];
  const which =
    organizationIds.length === 1
      ? `organization ${first} has`
      : `${organizationIds.length} organizations, ${first} among them, have`;
  return [
    {
      check: 'root quorum',
      detail: `${which} several root users and a root quorum threshold of 1: each root user can do everything alone, whatever the policies say, and so can a thief of any one of their credentials`,
      fix: "Raise the threshold to 2 or more with 'countersign update-root-quorum'.",
    },
  ];
}
