import { errorCodes, ServiceError } from '@countersign/contract';
import { type BucketSize, type Buckets, createBuckets } from './buckets.ts';

/** The settings of rates, each per second. 0: no limit. */
export interface RateSettings {
  readonly requestsPerAddress: number;
  readonly failedStampsPerAddress: number;
  readonly requestsPerCredential: number;
  readonly requestsPerOrganization: number;
  readonly loginsPerCredential: number;
  readonly signInsPerAddress: number;
  readonly signInsPerOrganization: number;
}

/** What a request was refused for. Metrics count these. */
export type RateName = keyof RateSettings;

/** Who sends a request, as far as its stamp says and nobody has checked yet. */
export interface Claimant {
  /** From `addressBlock`. */
  readonly address: string;
  /** What the stamp names: a public key, the id of a passkey, or the digest of a session's token. */
  readonly credential: string;
}

/** A request whose stamp was checked. */
export interface ProvenRequest {
  readonly organizationId: string;
  readonly credentialId: string;
  /** Opens a session. */
  readonly isLogin: boolean;
}

/** How many requests the service takes in a short time. Every limit throws RATE_LIMIT_EXCEEDED. */
export interface Rates {
  /** A request arrives from an address. */
  arrive(address: string): void;
  /** A stamp is about to be checked. `judge` gives the error to answer in place of the one that the request came to. */
  doubt(claimant: Claimant): { judge(error: unknown): unknown };
  /** The flow that a request waits its turn in: of the organization of its credential where that is known, or else of its address. */
  flowOf(claimant: Claimant): string;
  /** A request without a stamp wants to sign somebody in. */
  signInFrom(address: string): void;
  /** The same, once it is known that the organization has it open. */
  signInTo(organizationId: string): void;
  /** A stamp was checked, and is good. */
  prove(claimant: Claimant, request: ProvenRequest): void;
}

const BURST_SECONDS = 5;
/** A sign-in is four requests, and several people may share an address. */
const SIGN_IN_BURST_SECONDS = 20;
/** How long a credential is known at an address. */
const KNOWN_MS = 600_000;
/** How often it is noted that it still is. */
const RENEW_MS = 1_000;
const MAX_KNOWN = 20_000;

/**
 * SECURITY: D162: bad stamps cost a check each. An address that sends many of them is not heard for a moment, but for credentials that
 * were good there before: others who share the address, as in an office, go on. Those have a count of their own.
 * SECURITY: whether a credential is known somewhere must not show. So while an address is not heard, a stamp of a known credential that
 * does not verify gets the same answer as one that was not looked at.
 */
export function createRates(
  settings: RateSettings,
  onRefused: (what: RateName) => void = () => {},
  nowMs: () => number = () => performance.now(),
): Rates {
  const bucket = (name: RateName, burstSeconds = BURST_SECONDS): Buckets => {
    const size: BucketSize = { perSecond: settings[name], burstSeconds };
    return createBuckets(size, nowMs);
  };
  const arrivals = bucket('requestsPerAddress');
  const failures = bucket('failedStampsPerAddress', 10);
  const byCredential = bucket('requestsPerCredential');
  const byOrganization = bucket('requestsPerOrganization');
  const logins = bucket('loginsPerCredential', 10);
  const signInsFrom = bucket('signInsPerAddress', SIGN_IN_BURST_SECONDS);
  const signInsTo = bucket('signInsPerOrganization', SIGN_IN_BURST_SECONDS);
  /** When a credential was last good at an address, and for which organization. */
  const known = new Map<string, { readonly atMs: number; readonly organizationId: string }>();

  const refusal = (name: RateName, of: string, waitMs: number): ServiceError => {
    onRefused(name);
    return new ServiceError(
      'RATE_LIMIT_EXCEEDED',
      `Too many requests of this ${of} in a short time (${name}). Wait for the time in Retry-After, then send the request again.`,
      { retryAtMs: Date.now() + waitMs },
    );
  };
  const require = (buckets: Buckets, key: string, name: RateName, of: string) => {
    const waitMs = buckets.take(key);
    if (waitMs > 0) throw refusal(name, of, waitMs);
  };
  let last = { address: '', credential: '', pair: ' ' };
  /** A request asks for it several times in a row. */
  const pairOf = ({ address, credential }: Claimant) => {
    if (last.address !== address || last.credential !== credential)
      last = { address, credential, pair: `${address} ${credential}` };
    return last.pair;
  };
  const knownOf = (claimant: Claimant) => {
    const found = known.get(pairOf(claimant));
    return found !== undefined && found.atMs > nowMs() - KNOWN_MS ? found : undefined;
  };

  return {
    arrive: (address) => require(arrivals, address, 'requestsPerAddress', 'address'),

    signInFrom: (address) => require(signInsFrom, address, 'signInsPerAddress', 'address'),

    signInTo: (organizationId) => require(signInsTo, organizationId, 'signInsPerOrganization', 'organization'),

    doubt(claimant) {
      const isKnown = knownOf(claimant) !== undefined;
      const waitMs = failures.waitOf(claimant.address);
      const name = 'failedStampsPerAddress';
      const wait = isKnown ? failures.waitOf(pairOf(claimant)) : waitMs;
      if (wait > 0) throw refusal(name, 'address', wait);
      return {
        judge(error) {
          if (!(error instanceof ServiceError) || errorCodes[error.code].status !== 401) return error;
          failures.take(isKnown ? pairOf(claimant) : claimant.address);
          return waitMs > 0 ? refusal(name, 'address', waitMs) : error;
        },
      };
    },

    // SECURITY: D163: anybody can claim to act for any organization, so a claim that was never proven takes no part in its turns.
    flowOf(claimant) {
      const found = knownOf(claimant);
      return found === undefined ? `address ${claimant.address}` : `organization ${found.organizationId}`;
    },

    prove(claimant, { organizationId, credentialId, isLogin }) {
      const pair = pairOf(claimant);
      const before = known.get(pair);
      const atMs = nowMs();
      if (before === undefined || before.organizationId !== organizationId || atMs - before.atMs >= RENEW_MS) {
        known.delete(pair);
        known.set(pair, { atMs, organizationId });
        if (known.size > MAX_KNOWN) known.delete(known.keys().next().value as string);
      }
      if (isLogin) require(logins, credentialId, 'loginsPerCredential', 'credential');
      require(byCredential, credentialId, 'requestsPerCredential', 'credential');
      require(byOrganization, organizationId, 'requestsPerOrganization', 'organization');
    },
  };
}
