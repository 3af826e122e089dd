import { ServiceError } from '@countersign/contract';

/** The organizations whose quota an activity uses. */
export interface QuotaOwner {
  /** The organization that stores. */
  readonly target: { readonly id: string };
  /** The organization whose user it is. */
  readonly home: { readonly id: string; readonly profile: { readonly parentId: string | null } };
  /** The limits of `home`. */
  readonly limits: Readonly<Record<Setting, number>>;
  /** Whether the user acts for people without a credential. */
  isPublic(): boolean;
  /** Whether the activity may use the reserve: it signs a user in, or removes or ends something. */
  isEssential(): boolean;
}

type Setting = 'maxMegabytes' | 'maxMegabytesPerSubOrganization' | 'maxMegabytesOfSubOrganizations';

/** Daily quotas of stored bytes, by the organization of the user who sent the activity. */
export interface StorageQuota {
  /** Throws RATE_LIMIT_EXCEEDED if a quota is used up. */
  require(owner: QuotaOwner): void;
  add(owner: QuotaOwner, bytes: number): void;
}

const MEGABYTE = 1_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** More names evict the one that stored nothing for the longest time. */
const MAX_NAMES = 50_000;
/** Essential activities may exceed a quota by this part of it. */
const RESERVE = 0.1;

interface Share {
  readonly name: string;
  readonly setting: Setting;
  readonly of: string;
  /** Fraction of the setting. */
  readonly part: number;
}

/**
 * Quotas refill evenly over the day.
 * SECURITY: D364: a user who fills the quota cannot prevent colleagues from signing in, deleting, freezing or rejecting: these have a
 * reserve. It is a tenth of the quota, because they store rows too.
 * SECURITY: bytes of users of sub-organizations never count against the parent's own quota, so end users cannot block the parent. Each
 * process has its own count: the quota protects the disk and is not exact.
 */
export function createStorageQuota(
  onLimit: (limit: Setting) => void = () => {},
  nowMs: () => number = () => performance.now(),
): StorageQuota {
  const used = new Map<string, { bytes: number; atMs: number }>();

  function usedOf(name: string, megabytes: number): number {
    const entry = used.get(name);
    if (entry === undefined) return 0;
    const now = nowMs();
    entry.bytes = Math.max(0, entry.bytes - ((now - entry.atMs) / DAY_MS) * megabytes * MEGABYTE);
    entry.atMs = now;
    return entry.bytes;
  }

  return {
    require(owner) {
      for (const { name, setting, of, part } of sharesOf(owner)) {
        const megabytes = owner.limits[setting] * part;
        const over = usedOf(name, megabytes) - megabytes * MEGABYTE;
        if (over < 0 || (part === 1 && over < megabytes * MEGABYTE * RESERVE && owner.isEssential())) continue;
        onLimit(setting);
        const waitMs = Math.ceil(((over + 1) / (megabytes * MEGABYTE)) * DAY_MS);
        throw new ServiceError(
          'RATE_LIMIT_EXCEEDED',
          `The activities of ${of} have used the daily quota of ${megabytes} MB (${setting}). Deletions and sign-ins still work. Retry after the time in Retry-After, or ask the operator to raise ${setting}.`,
          { retryAtMs: Date.now() + waitMs },
        );
      }
    },

    add(owner, bytes) {
      for (const { name, setting, part } of sharesOf(owner)) {
        const megabytes = owner.limits[setting] * part;
        const sum = usedOf(name, megabytes) + bytes;
        // The map is in order of use.
        used.delete(name);
        used.set(name, { bytes: sum, atMs: nowMs() });
        if (used.size > MAX_NAMES) used.delete(used.keys().next().value as string);
      }
    },
  };
}

/** SECURITY: A82: sign-ins without a credential use at most half of each quota, so that they cannot block an organization. */
function sharesOf(owner: QuotaOwner): readonly Share[] {
  const whole = wholeShares(owner).filter(({ setting }) => owner.limits[setting] > 0);
  if (whole.length === 0 || !owner.isPublic()) return whole;
  const halves = whole.map((share) => ({
    ...share,
    name: `sign-in ${share.name}`,
    of: `people who sign in without a stamp, of ${share.of},`,
    part: 0.5,
  }));
  return [...whole, ...halves];
}

function wholeShares({ target, home }: QuotaOwner): readonly Share[] {
  const { parentId } = home.profile;
  if (parentId === null) return [{ name: home.id, setting: 'maxMegabytes', of: 'this organization', part: 1 }];
  return [
    { name: target.id, setting: 'maxMegabytesPerSubOrganization', of: 'this sub-organization', part: 1 },
    { name: `of ${parentId}`, setting: 'maxMegabytesOfSubOrganizations', of: 'all sub-organizations', part: 1 },
  ];
}
