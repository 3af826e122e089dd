import { memoizeByRef } from '@countersign/collections';
import type { JudgedKey, JudgedOrganization } from './organization.ts';
import type { Feature } from './records.ts';

/** The feature that turns raw payloads off that hide what is signed. Absent: every key signs them. */
export const NO_BLIND_HASHES = 'FEATURE_NAME_NO_BLIND_HASHES';

/** The keys for which the feature holds: those that rules on content cover, all, or none, apart from exceptions. */
const bases = ['covered', 'all', 'none'] as const;

/** The value of the feature, parsed. */
export interface HashSwitch {
  readonly keys: (typeof bases)[number];
  /** Whether hashes are denied, by the id of a wallet, an account or a private key. */
  readonly exceptions: ReadonlyMap<string, boolean>;
}

/** The form of the value in words, for messages. */
export const HASH_SWITCH_FORM = `${bases.join(', ')} or nothing, then on:<id> or off:<id> for wallets, accounts and private keys, comma-separated`;

/** Parses the value of the feature. Undefined if it is not valid. */
export function parseHashSwitch(value: string): HashSwitch | undefined {
  const words = value.split(',').map((word) => word.trim());
  const [first = ''] = words;
  const base = bases.find((each) => each === first);
  const exceptions = new Map<string, boolean>();
  for (const word of base === undefined && first !== '' ? words : words.slice(1)) {
    const [, how, id] = /^(on|off):([0-9a-f-]{36})$/.exec(word) ?? [];
    if (id === undefined || exceptions.has(id)) return undefined;
    exceptions.set(id, how === 'on');
  }
  return { keys: base ?? 'covered', exceptions };
}

/** The canonical text of a switch. Empty for the default. */
export function showHashSwitch({ keys, exceptions }: HashSwitch): string {
  if (keys === 'covered' && exceptions.size === 0) return '';
  return [keys, ...[...exceptions].map(([id, isOn]) => `${isOn ? 'on' : 'off'}:${id}`)].join(',');
}

/** SECURITY: a value that this release does not understand counts as the strictest one. */
const strictest: HashSwitch = { keys: 'all', exceptions: new Map() };
const off: HashSwitch = { keys: 'none', exceptions: new Map() };

const switchIn = memoizeByRef((features: readonly Feature[]): HashSwitch => {
  const feature = features.find(({ name }) => name === NO_BLIND_HASHES);
  return feature === undefined ? off : (parseHashSwitch(feature.value ?? '') ?? strictest);
});

/** The switch of an organization. */
export function hashSwitchOf({ profile: { features } }: Pick<JudgedOrganization, 'profile'>): HashSwitch {
  return switchIn(features);
}

/** What a switch says about one key. The key itself comes before its wallet, and both before the rest. */
export function settingFor({ keys, exceptions }: HashSwitch, key: JudgedKey): HashSwitch['keys'] {
  const ids = key.kind === 'walletAccount' ? [key.id, key.body.walletId] : [key.id];
  const exception = ids.map((id) => exceptions.get(id)).find((isOn) => isOn !== undefined);
  if (exception === undefined) return keys;
  return exception ? 'all' : 'none';
}
