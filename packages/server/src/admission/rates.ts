import { errorCodes, ServiceError } from '@countersign/contract';
import type { KnownCallers, UnverifiedCaller, VerifiedUser } from './known-callers.ts';

/** Refill rate and capacity. */
interface BucketSize {
  /** 0: no limit. */
  readonly perSecond: number;
  /** Capacity, as the tokens of this many seconds. */
  readonly burstSeconds: number;
}

/** Token buckets by name. */
export interface Buckets {
  /** Takes one token. Returns 0, or the milliseconds until there is one. */
  take(name: string): number;
  /** Takes tokens that are spent already, which may leave fewer than none. */
  spend(name: string, tokens: number): void;
  /** The same without taking a token. */
  waitOf(name: string): number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** More buckets evict the least recently used one. An evicted bucket is full again. */
const MAX_BUCKETS = 50_000;

export function createBuckets(
  { perSecond, burstSeconds }: BucketSize,
  nowMs: () => number = () => performance.now(),
  maxBuckets = MAX_BUCKETS,
): Buckets {
  if (perSecond === 0) return { take: () => 0, spend: () => undefined, waitOf: () => 0 };
  const full = perSecond * burstSeconds;
  const buckets = new Map<string, Bucket>();

  function filled(name: string): Bucket {
    const at = nowMs();
    const bucket = buckets.get(name) ?? { tokens: full, atMs: at };
    bucket.tokens = Math.min(full, bucket.tokens + ((at - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = at;
    return bucket;
  }

  function used(name: string): Bucket {
    const bucket = filled(name);
    // The map is in order of use.
    buckets.delete(name);
    buckets.set(name, bucket);
    if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value as string);
    return bucket;
  }

  const waitFor = ({ tokens }: Bucket) => (tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000));

  return {
    take(name) {
      const bucket = used(name);
      const waitMs = waitFor(bucket);
      if (waitMs === 0) bucket.tokens -= 1;
      return waitMs;
    },
    spend(name, tokens) {
      used(name).tokens -= tokens;
    },
    waitOf: (name) => (buckets.has(name) ? waitFor(filled(name)) : 0),
  };
}

/** The settings of rates, each per second. 0: no limit. */
export interface RateSettings {
  readonly handshakesPerAddress: number;
  readonly requestsPerAddress: number;
  readonly failedStampsPerAddress: number;
  readonly requestsPerCredential: number;
  readonly requestsPerOrganization: number;
  readonly loginsPerCredential: number;
  readonly signInsPerAddress: number;
  readonly signInsPerOrganization: number;
}

/** The limit that a request exceeded, as metrics count them. */
type RateName = keyof RateSettings;

/** A request whose stamp was verified. */
export interface AuthenticatedRequest extends VerifiedUser {
  readonly credentialId: string;
  /** Opens a session. */
  readonly isLogin: boolean;
}

/** Rate limits. Those that count throw RATE_LIMIT_EXCEEDED. */
export interface Rates {
  /** Counts a TLS handshake. */
  countHandshake(address: string): void;
  countRequest(address: string): void;
  /** Limits failed authentications. Call before a stamp is verified. */
  limitFailures(caller: UnverifiedCaller): FailureLimit;
  /** Counts a sign-in without a stamp, by its address. */
  countSignInFrom(address: string): void;
  /** Counts a sign-in without a stamp, by an organization that allows it. */
  countSignInTo(organizationId: string): void;
  /** Counts a request whose stamp verified. */
  countAuthenticated(request: AuthenticatedRequest): void;
}

export interface FailureLimit {
  /** RATE_LIMIT_EXCEEDED if the stamp must not be verified, after too many bad ones. */
  readonly rejection: ServiceError | undefined;
  /** Counts a failed authentication. Returns the error to respond with. */
  onError(error: unknown): unknown;
}

/** How long a client may exceed a rate. */
export const BURST_SECONDS = 5;
/** A sign-in takes four requests, and several people may share an address. */
const SIGN_IN_BURST_SECONDS = 20;
/**
 * SECURITY: D162: each bad stamp costs a verification. An address that sends many of them is throttled, except for credentials that
 * verified at it before, such as those of colleagues in an office. Each of those has its own count.
 * SECURITY: a response must not show whether a credential is known at an address. While the address is throttled, a bad stamp of a known
 * credential gets the same response as a stamp that was not verified.
 */
export function createRates(
  settings: RateSettings,
  known: Pick<KnownCallers, 'find'>,
  onLimit: (limit: RateName) => void = () => {},
  nowMs: () => number = () => performance.now(),
): Rates {
  const bucket = (name: RateName, burstSeconds = BURST_SECONDS): Buckets => {
    const size: BucketSize = { perSecond: settings[name], burstSeconds };
    return createBuckets(size, nowMs);
  };
  const handshakes = bucket('handshakesPerAddress');
  const arrivals = bucket('requestsPerAddress');
  const failures = bucket('failedStampsPerAddress', 10);
  const byCredential = bucket('requestsPerCredential');
  const byOrganization = bucket('requestsPerOrganization');
  const logins = bucket('loginsPerCredential', 10);
  const signInsFrom = bucket('signInsPerAddress', SIGN_IN_BURST_SECONDS);
  const signInsTo = bucket('signInsPerOrganization', SIGN_IN_BURST_SECONDS);

  const exceeded = (name: RateName, of: string, waitMs: number): ServiceError => {
    onLimit(name);
    return new ServiceError(
      'RATE_LIMIT_EXCEEDED',
      `Too many requests of this ${of} in a short time (${name}). Retry after the time in Retry-After.`,
      { retryAtMs: Date.now() + waitMs },
    );
  };
  const take = (buckets: Buckets, key: string, name: RateName, of: string) => {
    const waitMs = buckets.take(key);
    if (waitMs > 0) throw exceeded(name, of, waitMs);
  };
  const pairOf = ({ address, credential }: UnverifiedCaller) => `${address} ${credential}`;

  return {
    countHandshake: (address) => take(handshakes, address, 'handshakesPerAddress', 'address'),

    countRequest: (address) => take(arrivals, address, 'requestsPerAddress', 'address'),

    countSignInFrom: (address) => take(signInsFrom, address, 'signInsPerAddress', 'address'),

    countSignInTo: (organizationId) => take(signInsTo, organizationId, 'signInsPerOrganization', 'organization'),

    limitFailures(caller) {
      const isKnown = known.find(caller) !== undefined;
      const waitMs = failures.waitOf(caller.address);
      const name = 'failedStampsPerAddress';
      const wait = isKnown ? failures.waitOf(pairOf(caller)) : waitMs;
      return {
        rejection: wait > 0 ? exceeded(name, 'address', wait) : undefined,
        onError(error) {
          if (!(error instanceof ServiceError) || errorCodes[error.code].status !== 401) return error;
          failures.take(isKnown ? pairOf(caller) : caller.address);
          return waitMs > 0 ? exceeded(name, 'address', waitMs) : error;
        },
      };
    },

    countAuthenticated({ organizationId, credentialId, isLogin }) {
      if (isLogin) take(logins, credentialId, 'loginsPerCredential', 'credential');
      take(byCredential, credentialId, 'requestsPerCredential', 'credential');
      take(byOrganization, organizationId, 'requestsPerOrganization', 'organization');
    },
  };
}
