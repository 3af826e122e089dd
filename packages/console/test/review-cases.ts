import type { ListedActivity } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import type { Around } from '../src/review/around.ts';
import type { Check, NameClaim } from '../src/review/types.ts';
import { unusual } from '../src/review/unusual.ts';

export const usdc = { id: 'eip155:1/erc20:0xa0b8', kind: 'TOKEN', symbol: 'USDC', decimals: 6 } as const;
export const to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const transfer: EffectShape = { kind: 'TRANSFER', asset: usdc, amount: '25000000000', units: '25000', from: '0xaa', to };
export const proof = { activityId: 'a1', userName: 'Ann', atMs: 1 };
export const acme: NameClaim = { kind: 'contact', name: 'Acme', address: to, proof };

export const user = { userName: 'Bob', authenticators: [], apiKeys: [] };
export const vote = { userId: 'bob', user, publicKey: 'k1', scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature: '' };

/** A day before the year 2030 at an hour of this time zone. */
export const at = (hour: number, day = 10) => ({ seconds: String(new Date(2029, 5, day, hour).getTime() / 1000), nanos: '0' });

export function activityOf(id: string, effects: EffectShape[], more: object = {}): ListedActivity {
  const common = { id, type: 'T', status: 'ACTIVITY_STATUS_COMPLETED', createdAt: at(10), votes: [vote], parsed: { effects } };
  return { ...common, ...more } as unknown as ListedActivity;
}

export const around = (more: Partial<Around> = {}): Around => ({
  activity: activityOf('now', [transfer]),
  knowledge: { contacts: [], tokens: [], interfaces: [] },
  ...{ past: [], open: [], proven: { payments: [], isAltered: false } },
  ...more,
});

export function read(effects: EffectShape[], names: NameClaim[] = [acme], fullyParsed = true): Check {
  const reading = { sentence: '', effects, displayed: effects, fullyParsed, unparsed: [], names, agrees: true };
  const signer = { curve: 'CURVE_SECP256K1', publicKey: '' } as const;
  return { state: 'read', request: { type: '', organizationId: '', parameters: {} }, signer, reading };
}

export const plain = (type: string): Check => ({
  state: 'plain',
  request: { type, organizationId: 'o', parameters: {} },
  keys: [],
});
export const texts = (check: Check, more: Partial<Around> = {}) => unusual(check, around(more)).map(({ text }) => text);
export const deliberate = (check: Check, more: Partial<Around> = {}) =>
  unusual(check, around(more)).flatMap(({ text, isDeliberate }) => (isDeliberate ? [text] : []));
