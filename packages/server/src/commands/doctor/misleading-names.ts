import { ignoredBecause } from '../../organizations/address-book.ts';
import { labelWarnings } from '../../organizations/names.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Advice } from './advice.ts';

/** Contacts and tokens of an organization that could not be added today. Earlier releases accepted more. */
export interface MisleadingNames {
  readonly tokens: readonly string[];
  readonly contacts: readonly string[];
}

export function misleadingNamesOf({ id, records }: Pick<Snapshot, 'id' | 'records'>): MisleadingNames {
  const tokens = [...records.token].filter(([, { asset, symbol }]) => ignoredBecause(asset, symbol) !== undefined);
  const contacts = [...records.contact].filter(
    ([contactId, contact]) => labelWarnings(records.contact, contactId, contact).length > 0,
  );
  return {
    tokens: tokens.map(([tokenId]) => `${tokenId} (organization ${id})`),
    contacts: contacts.map(([contactId]) => `${contactId} (organization ${id})`),
  };
}

/** The most entries that a warning lists. */
const MAX_LISTED = 20;

/** The warnings about misleading names. Empty if there are none. */
export function nameAdvice(found: readonly MisleadingNames[]): readonly Advice[] {
  const tokens = found.flatMap((each) => each.tokens);
  const contacts = found.flatMap((each) => each.contacts);
  const advice: Advice[] = [];
  if (tokens.length > 0)
    advice.push({
      check: 'tokens',
      detail: `these tokens have the contract or the symbol of a token or coin that the service lists, so they do not count: ${listed(tokens)}`,
      fix: "Delete them with 'countersign delete-tokens'.",
    });
  if (contacts.length > 0)
    advice.push({
      check: 'contacts',
      detail: `the labels of these contacts look like others, read as addresses or contain characters that are not displayed: ${listed(contacts)}`,
      fix: "Rename them with 'countersign update-contact'. 'countersign list-contacts' says what is wrong with each.",
    });
  return advice;
}

function listed(entries: readonly string[]): string {
  const more = entries.length > MAX_LISTED ? [`${entries.length - MAX_LISTED} more`] : [];
  return [...entries.slice(0, MAX_LISTED), ...more].join(', ');
}
