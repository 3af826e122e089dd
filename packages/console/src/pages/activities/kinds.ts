import { typesOfSubject } from './types-of-subject.ts';

type Subject = keyof typeof typesOfSubject;

/** Kinds of activities for the filter. Each has subjects of the contract, and every subject has one kind. */
export const kinds = {
  signing: ['signing'],
  wallets: ['wallets', 'keys', 'transfer', 'secrets'],
  policies: ['policies'],
  contacts: ['address-book'],
  people: ['users', 'credentials'],
  signIn: ['sign-in'],
  organization: ['organizations', 'webhooks', 'consensus'],
} as const satisfies Readonly<Record<string, readonly Subject[]>>;

export type Kind = keyof typeof kinds;

type KindType = `ACTIVITY_TYPE_${(typeof typesOfSubject)[Subject][number]}`;

/** All versions of all types of a kind. Undefined for another word, such as one in an edited address of the page. */
export function typesOf(kind: string): KindType[] | undefined {
  if (!Object.hasOwn(kinds, kind)) return undefined;
  return kinds[kind as Kind].flatMap((subject) => typesOfSubject[subject].map((type) => `ACTIVITY_TYPE_${type}` as const));
}
