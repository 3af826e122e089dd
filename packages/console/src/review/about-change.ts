import type { ListedActivity } from '@countersign/client';
import { words } from '../words/index.ts';
import { type Finding, grave, notable } from './finding.ts';

const texts = words.approvals.unusualWords;

/** SECURITY: D1103: types of activities that change who can act for the organization, or under which rules, or take a secret out. */
const controls = typesOf(
  'UPDATE_ROOT_QUORUM|UPDATE_ALLOWED_ORIGINS|UNFREEZE|EXPORT_|RECOVER_|INIT_USER_EMAIL_RECOVERY|EXCHANGE_ONE_TIME_KEY',
  'CREATE_INVITATIONS|ACCEPT_INVITATION|CREATE_SETUP_KEY|CREATE_RPC_KEYS|CREATE_(?:SUB_)?ORGANIZATION',
  '(?:CREATE|UPDATE|DELETE)_(?:POLIC|MFA|USER|AUTHENTICATOR|API_|OAUTH|SESSION_PROFILE|READ_WRITE_SESSION)',
  '(?:SET|REMOVE)_(?:ORGANIZATION_FEATURE|IP_ALLOWLIST)|(?:UPDATE|DISABLE)_AUTH_PROXY',
  '(?:UPDATE|DELETE|RAISE|RESET)_VELOCITY',
);

/** SECURITY: D1103: policies select keys by the names of wallets and by tags. Interfaces decide what policies and approvers read in a call. */
const trusted = typesOf('UPDATE_WALLET', '(?:CREATE|UPDATE|DELETE)_(?:PRIVATE_KEY_TAG|SMART_CONTRACT_INTERFACE)');

/** Types of activities that need a second step. */
const serious: readonly (readonly [types: RegExp, text: string])[] = [
  // SECURITY: D1074: money that only the deleted keys can move is lost.
  [typesOf('DELETE_(?:WALLETS|PRIVATE_KEYS|(?:SUB_)?ORGANIZATION)'), texts.destroys],
  [typesOf('DELETE_SECRETS'), texts.destroysSecrets],
  [typesOf('DISABLE_PRIVATE_KEY'), texts.disables],
  [trusted, texts.trusted],
  [controls, texts.control],
];

function typesOf(...starts: readonly string[]): RegExp {
  return new RegExp(`^ACTIVITY_TYPE_(?:${starts.join('|')})`);
}

/** The code that the service puts before a warning. */
const coded = /^([A-Z][A-Z_]+): ([\s\S]*)$/;

/** Warnings about a request that changes something else than money. */
export function aboutChange({ type, warnings = [] }: ListedActivity): readonly Finding[] {
  const text = serious.find(([types]) => types.test(type))?.[1];
  return [...(text === undefined ? [] : [grave(text)]), ...warnings.flatMap(aboutWarning)];
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
