import { ServiceError } from '@countersign/contract';

/** Whose users act, and where. */
export interface Storing {
  /** The organization that stores. */
  readonly target: { readonly id: string };
  /** The organization whose user it is. */
  readonly home: { readonly id: string; readonly profile: { readonly parentId: string | null } };
  /** The limits of `home`. */
  readonly limits: Readonly<Record<Setting, number>>;
  /** Whether anybody may have that user act, without a credential. */
  byAnybody(): boolean;
}

type Setting = 'maxMegabytes' | 'maxMegabytesPerSubOrganization' | 'maxMegabytesOfSubOrganizations';

/** How much activities and what they made take up, by whose users sent them. */
export interface StoredBytes {
  /** Throws RATE_LIMIT_EXCEEDED where what a day allows is used up. */
  requireRoom(storing: Storing): void;
  /** Notes what was stored. */
  add(storing: Storing, bytes: number): void;
}

const MEGABYTE = 1_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Names beyond these are forgotten, those that stored nothing for the longest time first. */
const MAX_NAMES = 50_000;

interface Share {
  readonly name: string;
  readonly setting: Setting;
  readonly of: string;
  /** How much of the setting it is. */
  readonly part: number;
}

/**
 * A day's bytes come back evenly, so whoever used them up goes on after a while and not at midnight.
 * SECURITY: like messages, what users of sub-organizations store never counts against what the parent may, so end users cannot keep the
 * parent from working. Each process counts for itself: this keeps a disk from being filled, and is no bill.
 */
export function createStoredBytes(
  onRefused: (what: Setting) => void = () => {},
  nowMs: () => number = () => performance.now(),
): StoredBytes {
  const used = new Map<string, { bytes: number; atMs: number }>();

  /** What is used up of a share now. */
  function usedOf(name: string, megabytes: number): number {
    const entry = used.get(name);
    if (entry === undefined) return 0;
    const now = nowMs();
    entry.bytes = Math.max(0, entry.bytes - ((now - entry.atMs) / DAY_MS) * megabytes * MEGABYTE);
    entry.atMs = now;
    return entry.bytes;
  }

  return {
    requireRoom(storing) {
      for (const { name, setting, of, part } of sharesOf(storing)) {
        const megabytes = storing.limits[setting] * part;
        const over = usedOf(name, megabytes) - megabytes * MEGABYTE;
        if (over < 0) continue;
        onRefused(setting);
        const waitMs = Math.ceil(((over + 1) / (megabytes * MEGABYTE)) * DAY_MS);
        throw new ServiceError(
          'RATE_LIMIT_EXCEEDED',
          `The activities of ${of} take up ${megabytes} MB already, which is all for a day (${setting}). Wait for the time in Retry-After, or ask the operator for more.`,
          { retryAtMs: Date.now() + waitMs },
        );
      }
    },

    add(storing, bytes) {
      for (const { name, setting, part } of sharesOf(storing)) {
        const megabytes = storing.limits[setting] * part;
        const sum = usedOf(name, megabytes) + bytes;
        // The map keeps the order of use.
        used.delete(name);
        used.set(name, { bytes: sum, atMs: nowMs() });
        if (used.size > MAX_NAMES) used.delete(used.keys().next().value as string);
      }
    },
  };
}

/** SECURITY: A82: strangers who sign in get half of each share, so that they never keep an organization from working. */
function sharesOf(storing: Storing): readonly Share[] {
  const whole = wholeShares(storing).filter(({ setting }) => storing.limits[setting] > 0);
  if (whole.length === 0 || !storing.byAnybody()) return whole;
  const halves = whole.map((share) => ({
    ...share,
    name: `sign-in ${share.name}`,
    of: `people who sign in without a stamp, of ${share.of},`,
    part: 0.5,
  }));
  return [...whole, ...halves];
}

function wholeShares({ target, home }: Storing): readonly Share[] {
  const { parentId } = home.profile;
  if (parentId === null) return [{ name: home.id, setting: 'maxMegabytes', of: 'this organization', part: 1 }];
  return [
    { name: target.id, setting: 'maxMegabytesPerSubOrganization', of: 'this sub-organization', part: 1 },
    { name: `of ${parentId}`, setting: 'maxMegabytesOfSubOrganizations', of: 'all sub-organizations', part: 1 },
  ];
}
