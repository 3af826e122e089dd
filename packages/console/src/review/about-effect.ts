import { canonicalAddress } from '@countersign/chains';
import { type EffectShape, quotedReference } from '@countersign/contract';
import { words } from '../words/index.ts';
import type { Around } from './around.ts';
import { type Finding, grave, notable } from './finding.ts';
import { lookAlike } from './look-alike.ts';
import { pastAmount, transfersOf } from './past.ts';
import { quantity } from './quantity.ts';
import type { Knowledge, Reading } from './types.ts';
import { withAmount } from './with-amount.ts';

const texts = words.approvals.unusualWords;

/** What needs attention in one effect of a request. */
export function aboutEffect(effect: EffectShape, reading: Reading, around: Around): readonly Finding[] {
  return [...aboutKind(effect, reading, around), ...aboutToken(effect, around.knowledge.tokens)];
}

function aboutKind(effect: EffectShape, reading: Reading, around: Around): readonly Finding[] {
  const { kind, to = '' } = effect;
  if (kind === 'UNKNOWN') return [grave(texts.notUnderstood)];
  if (kind === 'AUTHORITY') return [grave(texts.authority), ...resembling(to, around)];
  if (kind === 'REPLAYABLE') return [grave(texts.replayable)];
  if (kind === 'ALLOWANCE') return [...aboutAllowance(effect, reading, around), ...resembling(to, around)];
  if (kind === 'CALL') return aboutCall(effect, reading);
  // A cancellation pays the account itself nothing.
  if (reading.replaces?.kind === 'CANCEL') return [];
  if (transfersOf([effect]).length === 0) return [];
  const alike = [...new Set([to, payeeOf(effect)])].flatMap((each) => resembling(each, around));
  return [...aboutCreation(effect), ...aboutPayment(effect, reading, around), ...alike];
}

/** Who gets a payment: the wallet of a token account if the transaction proves it. */
const payeeOf = ({ kind, to = '', owner = to }: EffectShape) => (kind === 'TRANSFER' ? owner : to);

/** SECURITY: D1100: the owner of a new account can take its whole amount, as with a payment. */
function aboutCreation(effect: EffectShape): Finding[] {
  const { kind, to, owner } = effect;
  return kind === 'CREATE' ? [grave(texts.creation(quantity(effect), to, owner))] : [];
}

function aboutPayment(effect: EffectShape, reading: Reading, { proven: { payments } }: Around): Finding[] {
  const { to, asset } = effect;
  const payee = payeeOf(effect);
  const found: Finding[] = [];
  const largest = largestOf(effect, payments);
  const isPaid = (each: EffectShape) => each.to !== undefined && payments.some((payment) => payment.to === each.to);
  const inAsset = transfersOf(reading.effects).filter((each) => each.asset?.id === asset?.id);
  // SECURITY: D804: a first payment is confirmed apart if no earlier payment in the asset was as large. D1075: what a transaction pays to
  // several new recipients, or in parts, counts together.
  const paidNow = sumOf(inAsset.filter((each) => !isPaid(each)));
  const isLarge = largest === undefined || paidNow === undefined || paidNow > pastAmount(largest);
  if (!isPaid(effect)) found.push(notable(texts.firstTime(payee || texts.hidden), { isDeliberate: isLarge }));
  if (payee !== '' && !isContact(payee, reading)) found.push(notable(texts.notContact(payee)));
  const toSame = inAsset.filter((each) => each.to === to);
  return [...found, ...aboutAsset(effect), ...aboutAmount(withAmount(effect, sumOf(toSame)), payments)];
}

/**
 * An unusual amount.
 * SECURITY: D1102: it needs a second step if the receiver never got half as much, so that a small payment does not prepare a large one. An
 * amount that the bytes do not contain is larger than any other. First payments have another finding.
 */
function aboutAmount(effect: EffectShape, payments: readonly EffectShape[]): Finding[] {
  const { to, amount, asset } = effect;
  const isPaid = to !== undefined && payments.some((each) => each.to === to);
  const toSame = payments.filter((each) => isPaid && each.to === to && each.asset?.id === asset?.id);
  if (amount === undefined)
    return [notable(texts.unknownAmount, { isDeliberate: isPaid && toSame.every((each) => each.amount !== undefined) })];
  const largest = largestOf(effect, payments);
  if (largest === undefined) return isPaid && amount !== '0' ? [notable(texts.firstInAsset, { isDeliberate: true })] : [];
  if (BigInt(amount) <= pastAmount(largest)) return [];
  const isComparable = toSame.some((each) => 2n * pastAmount(each) >= BigInt(amount));
  return [notable(texts.above(quantity(effect), quantity(largest)), { isDeliberate: isPaid && !isComparable })];
}

/** A sum of amounts. Undefined if one of them is not known. */
function sumOf(effects: readonly EffectShape[]): bigint | undefined {
  if (effects.some(({ amount }) => amount === undefined)) return undefined;
  return effects.reduce((sum, { amount = '0' }) => sum + BigInt(amount), 0n);
}

/**
 * SECURITY: D1071: an allowance with a limit is a payment that the spender makes later. A second step is needed unless the log proves that the
 * spender is a contact, and that as much was paid before. The allowances of a transaction in one asset count together.
 */
function aboutAllowance(effect: EffectShape, reading: Reading, { proven: { payments } }: Around): Finding[] {
  const { to = '', amount, unlimited } = effect;
  if (unlimited) return [grave(texts.unlimited(to))];
  // An allowance of nothing ends an earlier one.
  if (amount === '0') return [];
  const largest = largestOf(effect, payments);
  const together = sumOf(reading.effects.filter(({ kind, asset }) => kind === 'ALLOWANCE' && asset?.id === effect.asset?.id));
  const isLarge = largest === undefined || together === undefined || together > pastAmount(largest);
  const isKnown = isContact(to, reading, true);
  const found = notable(texts.allowance(to, quantity(effect)), { isDeliberate: isLarge || !isKnown });
  return [found, ...(isContact(to, reading) ? [] : [notable(texts.notContact(to))]), ...aboutAsset(effect)];
}

/** Functions by which contracts change who may use them, or their code. Names in Solidity may contain a dollar sign. */
const controlling =
  /^[\w$]*(?:owner|admin|role|upgrade|implementation|guardian|governor|authority|operator|minter|signer|threshold|module|delegat|permission|control|proxy|guard|manager|keeper|pauser|access|initialize|setCode|fallbackHandler|changeKey|diamondCut)[\w$]*\s*\(/i;

/** A call as an interface names it. Sentences about known functions have words between the name and the values. */
const named = /^[\w$]+\s*\(/;

/** Functions of the standards of tokens, whose calls have other effects too if they are understood. */
const standard = /^(?:transfer|transferFrom|safeTransferFrom|approve|permit|setApprovalForAll)\s*\(/;

/**
 * SECURITY: D1072: an interface names a call and its values. It does not say what the contract then does: a withdrawal or a new owner reads
 * like any other call.
 */
function aboutCall(
  { what = '', to, movesNothing }: EffectShape & { readonly movesNothing?: boolean },
  reading: Reading,
): Finding[] {
  if (movesNothing === true) return [];
  // SECURITY: D1100: staking and voting on Tron call no contract. A memo and other data on the chain move nothing.
  if (to === undefined) return /^(memo|write) /.test(what) ? [] : [notable(texts.accountCall(what))];
  if (controlling.test(what)) return [grave(texts.controllingCall(to))];
  // An effect of a token says nothing about a call of another function of this token.
  const isOther = named.test(what) && !standard.test(what);
  return !isOther && isRead(to, reading) ? [] : [notable(texts.call(to), { isDeliberate: named.test(what) })];
}

/** Whether other effects say what each call of a token does. One of them does not speak for a second call. */
function isRead(token: string, { effects }: Reading): boolean {
  const calls = effects.filter(({ kind, to }) => kind === 'CALL' && to === token);
  const others = effects.filter(
    ({ kind, asset }) => kind !== 'FEE' && asset?.id.toLowerCase().includes(`:${token.toLowerCase()}`),
  );
  return others.length >= calls.length;
}

const byAmount = (a: EffectShape, b: EffectShape) => (pastAmount(a) < pastAmount(b) ? -1 : 1);

/** The largest proven payment in the asset of an effect. */
const largestOf = ({ asset }: EffectShape, payments: readonly EffectShape[]) =>
  payments
    .filter((each) => each.asset?.id === asset?.id)
    .sort(byAmount)
    .at(-1);

/** A contact that the log does not prove has another finding. */
const isContact = (to: string, { names }: Reading, isProven = false) =>
  names.some(
    ({ kind, address, proof }) =>
      kind === 'contact' && canonicalAddress(address) === canonicalAddress(to) && (proof !== undefined || !isProven),
  );

const aboutAsset = ({ asset }: EffectShape) =>
  asset?.symbol === undefined ? [notable(texts.unknownAsset(asset?.id ?? ''))] : [];

/**
 * An address that could be mistaken for one of a contact or of an earlier payment.
 * SECURITY: D1077: being a contact, or paid before, does not make an address less alike: both may be the work of an attacker.
 */
function resembling(to: string, { knowledge: { contacts }, past }: Around): Finding[] {
  const label = (address: string) => contacts.find((each) => each.address === address)?.label;
  const quoted = (name: string | undefined) => (name === undefined ? undefined : quotedReference(name));
  const payments = past.flatMap(({ parsed }) => transfersOf(parsed?.effects));
  const receivers = payments.flatMap((each) => [each.to ?? '', payeeOf(each)]).filter((each) => each !== '');
  const addresses = contacts.map(({ address }) => address);
  const isKnown = [...addresses, ...receivers].some((each) => canonicalAddress(each) === canonicalAddress(to));
  const alike = lookAlike(to, isKnown ? addresses : [...addresses, ...receivers]);
  return alike === undefined ? [] : [grave(texts.lookAlike(quoted(label(alike.known))), { lookAlike: alike })];
}

function aboutToken({ asset }: EffectShape, tokens: Knowledge['tokens']): Finding[] {
  const own = tokens.find((token) => token.source === 'ORGANIZATION' && token.asset === asset?.id);
  const isDifferent = own !== undefined && asset?.decimals !== undefined && own.decimals !== asset.decimals;
  return isDifferent ? [notable(texts.tokenDiffers(own.symbol))] : [];
}
