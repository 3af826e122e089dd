import type { ListedActivity } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { words } from '../words/index.ts';
import { groupDigits } from './group-digits.ts';
import type { Check, Knowledge } from './types.ts';

const texts = words.approvals.unusualWords;

/** Unusual properties of a request, compared with past signatures. */
export function unusual(check: Check, past: readonly ListedActivity[], { contacts, tokens }: Knowledge): readonly string[] {
  if (check.state === 'plain' && signsBytes(check.request.parameters)) return [texts.raw];
  if (check.state !== 'read') return [];
  const { effects, fullyParsed } = check.reading;
  const before = past.flatMap(({ parsed }) => parsed?.effects ?? []);
  const known = new Set(contacts.map(({ address }) => address.toLowerCase()));
  const found = effects.flatMap((effect) => [...aboutEffect(effect, before, known), ...aboutToken(effect, tokens)]);
  if (!fullyParsed) found.push(texts.notUnderstood);
  return [...new Set(found)];
}

const signsBytes = (parameters: object) => 'payload' in parameters || 'payloads' in parameters;

function aboutEffect(effect: EffectShape, before: readonly EffectShape[], known: ReadonlySet<string>): string[] {
  const { kind, to = '', asset } = effect;
  if (kind === 'AUTHORITY') return [texts.authority];
  if (kind === 'REPLAYABLE') return [texts.replayable];
  if (kind === 'ALLOWANCE') return effect.unlimited ? [texts.unlimited(shorten(to))] : [];
  if (kind !== 'TRANSFER') return [];
  const payments = before.filter((each) => each.kind === 'TRANSFER');
  const found: string[] = [];
  if (!payments.some((each) => each.to === to)) found.push(texts.firstTime(shorten(to)));
  if (!known.has(to.toLowerCase())) found.push(texts.notContact(shorten(to)));
  if (asset?.symbol === undefined) found.push(texts.unknownAsset(asset?.id ?? ''));
  const amounts = payments
    .filter((each) => each.asset?.id === asset?.id && each.amount !== undefined)
    .map((each) => BigInt(each.amount as string));
  const most = amounts.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
  if (amounts.length > 0 && effect.amount !== undefined && BigInt(effect.amount) > most) {
    const usual = payments.find((each) => each.amount === most.toString() && each.asset?.id === asset?.id);
    found.push(texts.above(quantity(effect), usual === undefined ? most.toString() : quantity(usual)));
  }
  return found;
}

function aboutToken({ asset }: EffectShape, tokens: Knowledge['tokens']): string[] {
  const own = tokens.find((token) => token.source === 'ORGANIZATION' && token.asset === asset?.id);
  return own !== undefined && own.decimals !== asset?.decimals ? [texts.tokenDiffers(own.symbol)] : [];
}

/** An amount with thousands separators and its symbol. */
export function quantity({ units, amount, asset }: EffectShape): string {
  return `${groupDigits(units ?? amount ?? '?')} ${asset?.symbol ?? asset?.id ?? ''}`.trim();
}

/** An address without its middle. */
export const shorten = (address: string): string =>
  address.length > 16 ? `${address.slice(0, 8)}…${address.slice(-6)}` : address;
