import type { ListedActivity } from '@countersign/client';
import { words } from '../words/index.ts';
import { type Finding, grave, notable } from './finding.ts';

const texts = words.approvals.unusualWords;

/** Types of activities that change who can act for the organization, or under which rules. */
const controls = new RegExp(
  `^ACTIVITY_TYPE_(?:${[
    'UPDATE_ROOT_QUORUM|UPDATE_ALLOWED_ORIGINS|UNFREEZE|EXPORT_|RECOVER_|CREATE_INVITATIONS|CREATE_SETUP_KEY',
    '(?:CREATE|UPDATE|DELETE)_(?:POLIC|MFA|USER|AUTHENTICATOR|API_|OAUTH|SESSION_PROFILE|READ_WRITE_SESSION)',
    '(?:SET|REMOVE)_(?:ORGANIZATION_FEATURE|IP_ALLOWLIST)',
    '(?:UPDATE|DELETE|RAISE|RESET)_VELOCITY',
  ].join('|')})`,
);

/** SECURITY: D1074: types of activities that delete keys. Money that only they can move is lost. */
const destroys = /^ACTIVITY_TYPE_DELETE_(?:WALLETS|PRIVATE_KEYS|(?:SUB_)?ORGANIZATION)/;

/** The code that the service puts before a warning. */
const coded = /^([A-Z][A-Z_]+): ([\s\S]*)$/;

/** Warnings about a request that changes something else than money. */
export function aboutChange({ type, warnings = [] }: ListedActivity): readonly Finding[] {
  const found = warnings.flatMap(aboutWarning);
  if (destroys.test(type)) return [grave(texts.destroys), ...found];
  return controls.test(type) ? [grave(texts.control), ...found] : found;
}

function aboutWarning(warning: string): readonly Finding[] {
  const [, code = '', text = warning] = coded.exec(warning) ?? [];
  if (code === 'BACKTEST') return [];
  if (code === 'LOOK_ALIKE') return [grave(text)];
  if (code !== 'WORST_CASE') return [notable(warning)];
  return [isNew(text) ? grave(texts.worstCase(text)) : notable(texts.worstCase(text))];
}

/** Texts of users, which the service quotes so that they cannot end the quotation. */
const quoted = /"[^"]*"/g;

/**
 * Whether a worst case says that a person may do something that was not possible before.
 * SECURITY: D807: a policy or a tag could be named “as before”.
 */
function isNew(text: string): boolean {
  const parts = text
    .replace(quoted, '""')
    .replace(/^policy "": /, '')
    .split('. ');
  return parts.some((part) => /\bmay\b/.test(part) && !part.startsWith('as before: '));
}

/** The summaries of the back-test. */
export function backtestOf({ warnings = [] }: ListedActivity): readonly string[] {
  return warnings.flatMap((warning) => {
    const [, code, text = ''] = coded.exec(warning) ?? [];
    return code === 'BACKTEST' ? [text] : [];
  });
}
