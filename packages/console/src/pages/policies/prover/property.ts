import { policyOptions, toProperty, type WrittenProperty } from '@countersign/judgement';
import { type NamedTag, resolveTags, transactionKinds } from '@countersign/policy';
import { isAssetName } from '../form/networks.ts';

/** The forms of a property. Each writes the same two expressions that `countersign policy prove` takes. */
export interface PropertyAnswers {
  readonly what: 'amount' | 'strangers' | 'outsideTag' | 'notListed' | 'unlimited' | 'notUnderstood' | 'anything' | 'own';
  readonly asset: string;
  readonly amount: string;
  readonly contactTag: string;
  readonly addresses: string;
  readonly who: 'nobody' | 'count' | 'tag' | 'own';
  readonly approvals: number;
  readonly tagId: string;
  readonly forbid: string;
  readonly unless: string;
  readonly activity: string;
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const listOf = (text: string) => text.split(/[\s,]+/).filter((line) => line !== '');

/**
 * The condition of a property. Empty until the form is complete.
 * SECURITY: D1090: the effects of a transaction that is not understood are incomplete, so it may do what a form forbids. Not every effect has
 * a field `unlimited`, and reading a missing field would leave the whole request out.
 * SECURITY: D1171: the amount that a new account or contract receives is a transfer too. One that receives nothing has no asset, and no amount to read.
 */
export function forbidOf({ what, asset, amount, contactTag, addresses, forbid, activity }: PropertyAnswers): string {
  // Only transactions have `tx`.
  const hidden = activity === TRANSACTIONS || transactionKinds.has(activity) ? '!tx.understood || ' : '';
  const some = (rule: string) => `${hidden}effects.any(e, ${rule})`;
  const pays = (rule: string) => some(`(e.kind == 'TRANSFER' || (e.kind == 'CREATE' && e.asset_kind == 'COIN')) && ${rule}`);
  switch (what) {
    case 'amount': {
      const isName = isAssetName(asset);
      if (asset === '' || amount === '') return '';
      return pays(`e.asset == ${isName ? asset : quoted(asset)} && e.amount > ${amount}${isName ? ` ${asset}` : ''}`);
    }
    case 'strangers':
      return pays('!(e.to in contacts.all)');
    case 'outsideTag':
      return contactTag === '' ? '' : pays(`!(e.to in contacts.tagged(${quoted(contactTag)}))`);
    case 'notListed': {
      const list = listOf(addresses);
      return list.length === 0 ? '' : pays(`!(e.to in [${list.map(quoted).join(', ')}])`);
    }
    case 'unlimited':
      return some("e.kind == 'ALLOWANCE' && e.unlimited");
    case 'notUnderstood':
      return '!tx.understood';
    case 'anything':
      return 'true';
    case 'own':
      return forbid.trim();
  }
}

/** The consensus that lifts a property. Empty if no one may do it. */
export function unlessOf({ who, approvals, tagId, unless }: PropertyAnswers): string {
  switch (who) {
    case 'nobody':
      return '';
    case 'count':
      return `approvers.count() >= ${approvals}`;
    case 'tag':
      return tagId === '' ? '' : `approvers.filter(user, user.tags.contains(${quoted(tagId)})).count() >= ${approvals}`;
    case 'own':
      return unless.trim();
  }
}

/** Whether every field that the property needs has a value. */
export function isComplete(answers: PropertyAnswers): boolean {
  return forbidOf(answers) !== '' && (answers.who === 'nobody' || unlessOf(answers) !== '');
}

/** The kinds of activity that policies decide. */
export const provenKinds: readonly string[] = [...new Set(policyOptions.activities.map(({ kind }) => kind))].sort();

/** Stands for every kind of activity that signs a transaction. */
export const TRANSACTIONS = 'TRANSACTIONS';

/** The property for each kind of activity, with the ids of tags. */
export function propertiesOf(answers: PropertyAnswers, tags: readonly NamedTag[]): readonly WrittenProperty[] {
  const [forbid, unless] = [forbidOf(answers), unlessOf(answers)].map((text) => resolveTags(text, tags).text) as [string, string];
  const kinds =
    answers.activity === TRANSACTIONS ? [...transactionKinds].filter((kind) => provenKinds.includes(kind)) : [answers.activity];
  return kinds.map((activity) => ({ name: forbid, forbid, ...(unless !== '' && { unless }), activity }));
}

/** What is wrong with a property, as the command line shows it. Undefined if nothing is. */
export function problemOf(answers: PropertyAnswers, tags: readonly NamedTag[]): string | undefined {
  if (!isComplete(answers)) return undefined;
  const unknown = [forbidOf(answers), unlessOf(answers)].flatMap((text) => resolveTags(text, tags).problems)[0];
  if (unknown !== undefined) return unknown.message;
  try {
    propertiesOf(answers, tags).forEach(toProperty);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
