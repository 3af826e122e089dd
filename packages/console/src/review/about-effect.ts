import { canonicalAddress } from '@countersign/chains';
import type { EffectShape } from '@countersign/contract';
import { words } from '../words/index.ts';
import type { Around } from './around.ts';
import { type Finding, grave, notable } from './finding.ts';
import { lookAlike } from './look-alike.ts';
import { transfersOf } from './past.ts';
import { quantity } from './quantity.ts';
import type { Knowledge, Reading } from './types.ts';

const texts = words.approvals.unusualWords;

/** What needs attention in one effect of a request. */
export function aboutEffect(effect: EffectShape, reading: Reading, around: Around): readonly Finding[] {
  return [...aboutKind(effect, reading, around), ...aboutToken(effect, around.knowledge.tokens)];
}

function aboutKind(effect: EffectShape, reading: Reading, around: Around): readonly Finding[] {
  const { kind, to = '' } = effect;
  if (kind === 'AUTHORITY') return [grave(texts.authority)];
  if (kind === 'REPLAYABLE') return [grave(texts.replayable)];
  if (kind === 'ALLOWANCE') return [...aboutAllowance(effect, reading, around), ...resembling(to, around)];
  if (kind === 'CALL') return aboutCall(effect, reading);
  // A cancellation pays the account itself nothing.
  if (reading.replaces?.kind === 'CANCEL') return [];
  return kind === 'TRANSFER' ? [...aboutPayment(effect, reading, around), ...resembling(to, around)] : [];
}

function aboutPayment(effect: EffectShape, reading: Reading, { proven: { payments } }: Around): Finding[] {
  const { to = '', asset } = effect;
  const found: Finding[] = [];
  const largest = largestOf(effect, payments);
  const isPaid = (each: EffectShape) => payments.some((payment) => payment.to === each.to);
  // SECURITY: D804: a first payment is confirmed apart if no earlier payment in the asset was as large. D1075: what a transaction pays to
  // several new recipients, or in parts, counts together.
  const paidNow = transfersOf(reading.effects).filter((each) => each.asset?.id === asset?.id && !isPaid(each));
  const total = paidNow.reduce((sum, each) => sum + amountOf(each), 0n);
  const isLarge = largest === undefined || total > amountOf(largest);
  if (!isPaid(effect)) found.push(notable(texts.firstTime(to), { isDeliberate: isLarge }));
  if (!isContact(to, reading)) found.push(notable(texts.notContact(to)));
  found.push(...aboutAsset(effect));
  if (largest !== undefined && amountOf(effect) > amountOf(largest))
    found.push(notable(texts.above(quantity(effect), quantity(largest))));
  return found;
}

/**
 * SECURITY: D1071: an allowance with a limit is a payment that the spender makes later. A second step is needed unless the log proves that the
 * spender is a contact, and that as much was paid before.
 */
function aboutAllowance(effect: EffectShape, reading: Reading, { proven: { payments } }: Around): Finding[] {
  const { to = '', amount, unlimited } = effect;
  if (unlimited) return [grave(texts.unlimited(to))];
  // An allowance of nothing ends an earlier one.
  if (amount === '0') return [];
  const largest = largestOf(effect, payments);
  const isLarge = largest === undefined || amount === undefined || amountOf(effect) > amountOf(largest);
  const isKnown = isContact(to, reading, true);
  const found = notable(texts.allowance(to, quantity(effect)), { isDeliberate: isLarge || !isKnown });
  return [found, ...(isContact(to, reading) ? [] : [notable(texts.notContact(to))]), ...aboutAsset(effect)];
}

/** Functions by which contracts change who may use them, or their code. */
const controlling =
  /^\w*(?:owner|admin|role|upgrade|implementation|guardian|governor|authority|operator|minter|signer|threshold|module|delegat|permission|controller|proxy)\w*\s*\(/i;

/**
 * SECURITY: D1072: an interface names a call and its values. It does not say what the contract then does: a withdrawal or a new owner reads
 * like any other call.
 */
function aboutCall(
  { what = '', to, movesNothing }: EffectShape & { readonly movesNothing?: boolean },
  { effects }: Reading,
): Finding[] {
  if (to === undefined || movesNothing === true) return [];
  if (controlling.test(what)) return [grave(texts.controllingCall(to))];
  // A call of a token that its effects say more about.
  const isRead = effects.some(({ kind, asset }) => kind !== 'FEE' && asset?.id.toLowerCase().includes(`:${to.toLowerCase()}`));
  return isRead ? [] : [notable(texts.call(to))];
}

const amountOf = ({ amount }: EffectShape) => (amount === undefined ? 0n : BigInt(amount));
const byAmount = (a: EffectShape, b: EffectShape) => (amountOf(a) < amountOf(b) ? -1 : 1);

/** The largest proven payment in the asset of an effect. */
const largestOf = ({ asset }: EffectShape, payments: readonly EffectShape[]) =>
  payments
    .filter((each) => each.asset?.id === asset?.id)
    .sort(byAmount)
    .at(-1);

/** A contact that the log does not prove has a finding of its own. */
const isContact = (to: string, { names }: Reading, isProven = false) =>
  names.some(
    ({ kind, address, proof }) =>
      kind === 'contact' && address.toLowerCase() === to.toLowerCase() && (proof !== undefined || !isProven),
  );

const aboutAsset = ({ asset }: EffectShape) =>
  asset?.symbol === undefined ? [notable(texts.unknownAsset(asset?.id ?? ''))] : [];

/**
 * An address that could be mistaken for one of a contact or of an earlier payment.
 * SECURITY: D1077: being a contact, or paid before, does not make an address less alike: both may be the work of an attacker.
 */
function resembling(to: string, { knowledge: { contacts }, past }: Around): Finding[] {
  const label = (address: string) => contacts.find((each) => each.address === address)?.label;
  const receivers = past.flatMap(({ parsed }) => transfersOf(parsed?.effects).flatMap((each) => each.to ?? []));
  const addresses = contacts.map(({ address }) => address);
  const isKnown = [...addresses, ...receivers].some((each) => canonicalAddress(each) === canonicalAddress(to));
  const alike = lookAlike(to, isKnown ? addresses : [...addresses, ...receivers]);
  return alike === undefined ? [] : [grave(texts.lookAlike(label(alike.known)), { lookAlike: alike })];
}

function aboutToken({ asset }: EffectShape, tokens: Knowledge['tokens']): Finding[] {
  const own = tokens.find((token) => token.source === 'ORGANIZATION' && token.asset === asset?.id);
  const isDifferent = own !== undefined && asset?.decimals !== undefined && own.decimals !== asset.decimals;
  return isDifferent ? [notable(texts.tokenDiffers(own.symbol))] : [];
}
