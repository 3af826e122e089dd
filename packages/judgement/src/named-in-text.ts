import { policyAddressForms } from '@countersign/chains';
import { indexedBy } from '@countersign/collections';
import { activityKind } from '@countersign/contract';
import { namesInText } from './authority-activities.ts';
import { canonicalEmail } from './canonical-email.ts';
import type { Judgement } from './judgement.ts';
import { spelling } from './normalizers.ts';
import type { JudgedOrganization } from './organization.ts';
import type { PolicyRecord } from './records.ts';
import { isTrustTouch, type TrustTouch } from './subject.ts';

/** Something that a policy allows only if the text of its condition names it. */
export interface NamedInText {
  readonly isNamedIn: (condition: string) => boolean;
  /** Why policies that do not name it do not count, as a sentence for explanations. */
  readonly why: string;
}

/**
 * The parts of this request that a policy must name to allow it, under the first rules, which searched the text of conditions. Later rules
 * are in `named-in-policy.ts`.
 * INVARIANT: this never changes. Otherwise decisions of the past could not be made again.
 */
export function namedInText(judgement: Judgement): readonly NamedInText[] {
  return [delegation(judgement), deployment(judgement), configuration(judgement), ...trusted(judgement)].filter(
    (each) => each !== undefined,
  );
}

/** D36: a policy on `to` and `value` does not mean to delegate an account's code to another party (EIP-7702). */
function delegation(judgement: Judgement): NamedInText | undefined {
  const { parsed } = judgement.subject;
  if (parsed?.namespace !== 'eth.tx' || parsed.policy.type !== 'TYPE_4') return undefined;
  return {
    isNamedIn: speaksOf(judgement, /\beth\.tx\.(type|authorization_list)\b/),
    why: 'the transaction hands the code of an account to somebody else (EIP-7702), and no policy that allows it speaks of `eth.tx.type` or `eth.tx.authorization_list`',
  };
}

/** `eth.tx.to` compared with the empty text, alone or in a list. */
const NO_RECEIVER =
  /\beth\.tx\.to\s*(?:==|!=)\s*''|''\s*(?:==|!=)\s*eth\.tx\.to\b|\beth\.tx\.to\s+(?:not\s+)?in\s*\[(?:[^\]]*,)?\s*''\s*[,\]]/;

/** D44: a policy on recipients, such as `eth.tx.to != '0x…'`, does not cover contract creations. See docs/decisions/0019. */
function deployment({ subject: { parsed } }: Judgement): NamedInText | undefined {
  if (parsed?.namespace !== 'eth.tx' || parsed.policy.is_deployment !== true) return undefined;
  return {
    isNamedIn: (condition) =>
      !/\beth\.tx\.to\b/.test(condition) || /\beth\.tx\.is_deployment\b/.test(condition) || NO_RECEIVER.test(condition),
    why: "the transaction creates a contract, and no policy that allows it speaks of `eth.tx.is_deployment` or of `eth.tx.to == ''`",
  };
}

/** Why a policy for all changes does not mean to change these resources. */
const trustedResources: ReadonlyMap<string, string> = new Map([
  ['CONFIG', 'it changes where passkeys work, or how people sign in'],
  ['CONTACT', 'it says whom payments may go to'],
  ['FREEZE', 'it suspends users, keys or the whole organization'],
  ['TOKEN', 'it says which contract counts as which token'],
  ['VELOCITY_CONTROL', 'it changes a limit that other policies rest on'],
]);

/** A policy for all updates does not mean to change data on which other policies depend. */
function configuration(judgement: Judgement): NamedInText | undefined {
  const { resource } = judgement.definition.policy;
  const does = trustedResources.get(resource);
  if (does === undefined) return undefined;
  return {
    isNamedIn: (condition) => namesInText(condition, judgement),
    why: `${does}, and no policy that allows it speaks of \`${resource}\` or of this activity`,
  };
}

/** How policies trust one kind of text, such as a tag or a name. */
interface Trust<T extends TrustTouch> {
  isTrusted(touch: T, words: Words): boolean;
  /** Matches conditions that name this kind of text. */
  readonly word: RegExp;
  readonly why: string;
}

/** Every attribute for which policies trust users, keys and wallets. */
const trusts: { readonly [W in TrustTouch['what']]: Trust<Extract<TrustTouch, { readonly what: W }>> } = {
  TAGS: {
    isTrusted: ({ tagIds }, { words }) => tagIds.some((id) => words.has(id)),
    word: /user_tag/i,
    why: 'a user gains or loses a tag that a policy names, and no policy that allows it speaks of user tags',
  },
  NAME: {
    isTrusted: ({ userName }, { words }) => words.has(userName),
    word: /user_name/i,
    why: 'a user gains or loses a name that a policy names, and no policy that allows it speaks of user names',
  },
  EMAIL: {
    isTrusted: ({ userEmail }, { emails }) => emails.has(canonicalEmail(userEmail)),
    word: /user_email/i,
    why: 'a user gains or loses an e-mail address that a policy names, and no policy that allows it speaks of user e-mail addresses',
  },
  KEY_TAGS: {
    isTrusted: ({ tagIds }, { words }) => tagIds.some((id) => words.has(id)),
    word: /private_key_tag/i,
    why: 'a key gains or loses a tag that a policy names, and no policy that allows it speaks of private key tags',
  },
  WALLET_NAME: {
    isTrusted: ({ walletName }, { words }) => words.has(walletName),
    word: /wallet_name|UPDATE_WALLET/i,
    why: 'a wallet gains or loses a name that a policy names, and no policy that allows it speaks of `wallet_name` or `UPDATE_WALLET`',
  },
  // A policy that denies an activity for one address of a key does not see the other addresses.
  ACCOUNT_ADDRESS: {
    isTrusted: ({ address }, { addresses }) => addresses.has(spelling.address(address)),
    word: /\bactivity\.params\.accounts\b/,
    why: 'a key whose address a policy names gets another address, and no policy that allows it speaks of `activity.params.accounts`',
  },
};

/**
 * A policy for managing users, keys or wallets does not mean to assign attributes that other policies trust, or to remove attributes for
 * which other policies deny.
 */
function trusted(judgement: Judgement): NamedInText[] {
  const touches = (judgement.subject.touches ?? []).filter(isTrustTouch);
  if (touches.length === 0) return [];
  const words = wordsIn(judgement.organization);
  const found = touches.map((touch) => ({ touch, trust: trusts[touch.what] as Trust<TrustTouch> }));
  const named = new Set(found.filter(({ touch, trust }) => trust.isTrusted(touch, words)).map(({ trust }) => trust));
  return [...named].map(({ word, why }) => ({ isNamedIn: speaksOf(judgement, word), why }));
}

/** A string of the policy language. Only a quote and a backslash can be escaped in it. */
const STRING = /'((?:[^'\\]|\\.)*)'/g;
/** The string could be the kind or the type of an activity. */
const KIND = /^[A-Z0-9_]+$/;

/**
 * Returns a test of whether a condition contains a word.
 * SECURITY: the names of other activities do not count. `activity.kind in ['UPDATE_USER', 'CREATE_USER_TAG']` names the tags that
 * CREATE_USER_TAG creates. It does not mean that UPDATE_USER may assign existing tags.
 */
function speaksOf({ type }: Judgement, word: RegExp): (condition: string) => boolean {
  const own = [type, activityKind(type)];
  return (condition) =>
    word.test(condition.replace(STRING, (text, value: string) => (KIND.test(value) && !own.includes(value) ? "''" : text)));
}

/** The strings that the policies of an organization contain. */
interface Words {
  readonly words: Named;
  /** The same words in the canonical form of e-mail addresses. */
  readonly emails: Named;
  /** The same words in the canonical form of addresses. */
  readonly addresses: Named;
}

type Named = Pick<ReadonlyMap<string, unknown>, 'has'>;

/** The strings of a policy. */
function stringsOf({ condition = '', consensus = '' }: PolicyRecord): readonly string[] {
  const strings = [condition, consensus].flatMap((text) => [...text.matchAll(STRING)].map(([, value = '']) => value));
  return strings.map((value) => value.replace(/\\(.)/g, '$1'));
}

const byWord = indexedBy(stringsOf);
const byEmail = indexedBy((policy: PolicyRecord) => stringsOf(policy).map(canonicalEmail));
const byAddress = indexedBy((policy: PolicyRecord) => stringsOf(policy).flatMap(policyAddressForms));

/** The strings in the policies of an organization. */
function wordsIn({ policies }: JudgedOrganization): Words {
  return { words: byWord(policies), emails: byEmail(policies), addresses: byAddress(policies) };
}
