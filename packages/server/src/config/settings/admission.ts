import type { Setting } from '../setting.ts';
import { whole } from '../setting-values.ts';

/** Who is served when: bounds of connections, requests and queues. */
export const admissionSettings = {
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
  handshakesPerAddress: {
    schema: whole(0, 1_000_000),
    default: '100',
    describe:
      'Maximum TLS handshakes per second from one address (a /64 of IPv6), except trusted proxies, per process, with a burst of five times that; 0 for no limit',
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
} as const satisfies Record<string, Setting>;
