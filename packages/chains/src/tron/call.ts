import { hexToBytes } from '@noble/hashes/utils.js';
import { tronText } from '../addresses/tron.ts';
import type { Asset, Effect } from '../effects/effect.ts';
import type { TokenList } from '../effects/token-list.ts';
import { isUnlimited } from '../effects/unlimited.ts';
import { trc10, trc20 } from './assets.ts';
import { integer, movesTrx, text } from './effects.ts';
import type { Content } from './protobuf.ts';

/** The arguments of a TRC-20 function: addresses, then one amount. */
interface TokenFunction {
  readonly addresses: number;
  effect(asset: Asset, owner: string, addresses: readonly string[], amount: bigint): Effect;
}

const approve: TokenFunction = {
  addresses: 1,
  effect: (asset, from, [to], amount) => allowance(asset, from, to, { amount, unlimited: isUnlimited(amount, 256) }),
};

/** Adds to an allowance that only the chain knows, so the resulting amount is unknown. */
const increase: TokenFunction = {
  addresses: 1,
  effect: (asset, from, [to], amount) => allowance(asset, from, to, { unlimited: isUnlimited(amount, 256) }),
};

/** The TRC-20 functions that move tokens or the right to move them, by selector. */
const functions: ReadonlyMap<string, TokenFunction> = new Map([
  ['a9059cbb', { addresses: 1, effect: (asset, from, [to], amount) => transfer(asset, from, to, amount) }], // transfer
  ['23b872dd', { addresses: 2, effect: (asset, _, [from, to], amount) => transfer(asset, from, to, amount) }], // transferFrom
  ['095ea7b3', approve],
  ['d73dd623', increase], // increaseApproval
  ['39509351', increase], // increaseAllowance
]);

/** Effects of a contract call: the payment to the contract, and the call if its shape is known. */
export function callEffects(contract: Content, tokens: TokenList | undefined): readonly Effect[] {
  const { owner_address, contract_address, data } = contract;
  const [owner, to, digits] = [text(owner_address), text(contract_address), text(data)];
  return [...paymentEffects(contract, tokens, to), callEffect(owner, to, digits, tokens)];
}

/** Why the data of a call or its contract is not understood. */
export function unparsedCall(
  { owner_address, contract_address, data }: Content,
  tokens: TokenList | undefined,
): string | undefined {
  const [to, digits] = [text(contract_address), text(data)];
  if (digits === '') return undefined;
  if (tokenEffect(text(owner_address), to, digits, tokens) === undefined)
    return `no interface explains the call data for contract ${to}, so it is shown as it is`;
  const { symbol } = trc20(to, tokens);
  return symbol === undefined ? `no token list names contract ${to}, so nobody vouches that it is a token` : undefined;
}

/** TRX and TRC-10 tokens that go to a contract along with a call. */
export function paymentEffects(
  { owner_address, call_value, call_token_value, token_id }: Content,
  tokens: TokenList | undefined,
  to?: string,
): readonly Effect[] {
  const from = text(owner_address);
  const sent: Effect[] = call_value === undefined || call_value === 0n ? [] : [movesTrx(from, to, call_value)];
  if (call_token_value === 0n) return sent;
  const asset = trc10(String(token_id), tokens);
  return [...sent, { kind: 'TRANSFER', asset, from, amount: integer(call_token_value), ...(to !== undefined && { to }) }];
}

function callEffect(owner: string, to: string, data: string, tokens: TokenList | undefined): Effect {
  if (data === '') return { kind: 'CALL', what: 'the contract without data', to };
  const token = tokenEffect(owner, to, data, tokens);
  return token ?? { kind: 'UNKNOWN', what: `unknown call 0x${data.slice(0, 8)}`, to, bytes: data.length / 2 };
}

function tokenEffect(owner: string, contract: string, data: string, tokens: TokenList | undefined): Effect | undefined {
  const called = functions.get(data.slice(0, 8));
  // Data that is not exactly the words of the arguments is not a plain call of these functions.
  if (called === undefined || data.length !== 8 + 64 * (called.addresses + 1)) return undefined;
  const words = data.slice(8).match(/.{64}/g) ?? [];
  const addresses = words.slice(0, -1).flatMap((word) => readAddress(word) ?? []);
  if (addresses.length !== called.addresses) return undefined;
  return called.effect(trc20(contract, tokens), owner, addresses, BigInt(`0x${words.at(-1)}`));
}

/** ABI: an address is the last 20 bytes of its word. The first 12 bytes must be zero. */
function readAddress(word: string): string | undefined {
  return word.startsWith('0'.repeat(24)) ? tronText.print(hexToBytes(word.slice(24))) : undefined;
}

function transfer(asset: Asset, from: string | undefined, to: string | undefined, amount: bigint): Effect {
  return { kind: 'TRANSFER', asset, from: text(from), to: text(to), amount };
}

function allowance(
  asset: Asset,
  from: string,
  to: string | undefined,
  much: { readonly amount?: bigint; readonly unlimited: boolean },
): Effect {
  return { kind: 'ALLOWANCE', asset, from, to: text(to), ...much };
}
