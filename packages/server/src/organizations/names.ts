import { isAddress, lookalikeKeys } from '@countersign/chains';
import { indexedBy } from '@countersign/collections';
import { invalidField, nameTaken } from '../wire/refuse.ts';
import type { ContactRecord } from './records.ts';

/** Characters that people do not see, or that change how others are displayed. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5/u;
/** The same with characters that have no glyph, for labels that decide where money goes. */
const UNSEEN_IN_LABEL = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * D459: rejects a new name with characters that are not displayed.
 * INVARIANT: executors check this and not the schemas, so that requests of earlier releases still verify.
 */
export function requireVisible(name: string, field: string): void {
  if (UNSEEN.test(name)) throw invalidField(field, 'must not contain characters that are not displayed');
}

/** What is wrong with the label of a contact, other than that another contact has it. Undefined if nothing is. */
function problemOf(label: string): string | undefined {
  if (UNSEEN_IN_LABEL.test(label)) return 'must not contain characters that are not displayed';
  if (readsAsAddress(label)) return 'must not read as an address';
  return undefined;
}

/** Whether a label contains an address, or something that people take for one: `0x5aAe`, `TR7NHq…Lj6t`. */
function readsAsAddress(label: string): boolean {
  const text = label.normalize('NFKC');
  if (/0x[0-9a-f]{2}/i.test(text) || /[a-z0-9]{3}(?:…|\.{2,})[a-z0-9]{3}/i.test(text)) return true;
  // Skeletons have o for zero and l for one.
  if (lookalikeKeys(text).some((key) => /\box[0-9a-fol]{6}/.test(key))) return true;
  return text.split(/[\s"'`()<>[\]{},;|/]+/).some((word) => word.length >= 20 && isAddress(word));
}

/** Contacts by the keys of their labels. */
export const contactsByLookalike = indexedBy(({ label }: ContactRecord) => lookalikeKeys(label));

/** Labels that are in use. */
export interface LabelCheck {
  /** Rejects a label that is unreadable, or that looks like that of another contact. Later calls know it. */
  require(label: string, field: string): void;
}

/** D458: checks new labels against those of an organization. `exceptId` is the contact that is renamed. */
export function checkLabels(contacts: ReadonlyMap<string, ContactRecord>, exceptId?: string): LabelCheck {
  const stored = contactsByLookalike(contacts);
  const added = new Set<string>();
  return {
    require(label, field) {
      const problem = problemOf(label);
      if (problem !== undefined) throw invalidField(field, problem);
      const keys = lookalikeKeys(label);
      const others = keys.flatMap((key) => [...(stored.get(key) ?? [])]).filter(([id]) => id !== exceptId);
      if (others.some(([, other]) => other.label === label) || keys.some((key) => added.has(key)))
        throw nameTaken('contact', field);
      const [first] = others;
      if (first !== undefined)
        throw invalidField(field, `looks like the label of another contact: ${JSON.stringify(first[1].label)}`);
      for (const key of keys) added.add(key);
    },
  };
}

/** Why the label of a stored contact would be rejected today. Earlier releases accepted more. */
export function labelWarnings(
  contacts: ReadonlyMap<string, ContactRecord>,
  contactId: string,
  { label }: Pick<ContactRecord, 'label'>,
): readonly string[] {
  const problem = problemOf(label);
  const stored = contactsByLookalike(contacts);
  const others = new Set(lookalikeKeys(label).flatMap((key) => [...(stored.get(key)?.keys() ?? [])]));
  others.delete(contactId);
  return [
    ...(problem === undefined ? [] : [`The label ${problem}.`]),
    ...(others.size === 0
      ? []
      : [`The label looks like that of ${others.size === 1 ? 'another contact' : `${others.size} other contacts`}.`]),
  ];
}
