/** Users, policies and tags: an organization may have 100,000 of each. */
const RECORDS = [10, 1_000, 10_000, 50_000];
/** An organization may have 1,000,000 of each. The last hundredth is room for the changes of a run. */
const KEYS = [10, 1_000, 50_000, 990_000];
const ACTIVITIES = [10, 1_000, 100_000, 1_000_000, 10_000_000];

/** What an organization can have many of, and how many the measured organizations have. */
export const sizesOf = {
  users: RECORDS,
  policies: RECORDS,
  tags: RECORDS,
  wallets: KEYS,
  'private keys': KEYS,
  activities: ACTIVITIES,
} as const satisfies Readonly<Record<string, readonly number[]>>;

export type Growing = keyof typeof sizesOf;
/** What changes make. Activities are what is left of any change. */
export type GrowingRecord = Exclude<Growing, 'activities'>;

/** All kinds, in the order of the report. */
export const growing = Object.keys(sizesOf) as readonly Growing[];

/** The sizes to measure: those that were asked for, or all up to the largest one. */
export const wantedSizes = (kind: Growing, { most, sizes }: { readonly most: number; readonly sizes: readonly number[] }) =>
  sizesOf[kind].filter((each) => (sizes.length === 0 ? each <= most : sizes.includes(each)));
