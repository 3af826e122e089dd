import { hexToBytes } from '@noble/hashes/utils.js';
import { base58CheckEncoding } from '../addresses/encodings.ts';
import { formatTrx } from './format-trx.ts';
import type { Content } from './protobuf.ts';

const addressText = base58CheckEncoding(0x41);
const UNLIMITED = (1n << 256n) - 1n;

/** The TRC-20 functions that move tokens or the right to move them, by selector. `words` are the 32-byte arguments. */
const trc20: Readonly<Record<string, (token: string, words: readonly string[]) => string | undefined>> = {
  a9059cbb: (token, [to, amount, ...rest]) =>
    say(rest, [to], amount, (value, [a]) => `transfer ${value} of TRC-20 token ${token} to ${a}`),
  '23b872dd': (token, [from, to, amount, ...rest]) =>
    say(rest, [from, to], amount, (value, [a, b]) => `transfer ${value} of TRC-20 token ${token} from ${a} to ${b}`),
  '095ea7b3': (token, [spender, amount, ...rest]) =>
    say(rest, [spender], amount, (value, [a]) => `approve spender ${a} for ${value} of TRC-20 token ${token}`),
};

/** What a contract call does, as far as its shape tells: well-known token functions by name, anything else as a call. */
export function describeCall({ contract_address, data, call_value, call_token_value, token_id }: Content): string {
  const token = String(contract_address);
  const call = describeTrc20(token, String(data));
  const parts = [
    call ??
      (data === '' ? `call contract ${token} without data` : `call function 0x${String(data).slice(0, 8)} of contract ${token}`),
  ];
  if (call_value !== 0n) parts.push(`pay it ${formatTrx(call_value as bigint)}`);
  if (call_token_value !== 0n) parts.push(`pay it ${call_token_value} base units of TRC-10 token ${token_id}`);
  return parts.join(' and ');
}

function describeTrc20(token: string, data: string): string | undefined {
  const words = data.slice(8).match(/.{64}/g) ?? [];
  // Data that is not whole words is not a plain call of these functions.
  if (data.length !== 8 + 64 * words.length) return undefined;
  const selector = data.slice(0, 8);
  return Object.hasOwn(trc20, selector) ? trc20[selector]?.(token, words) : undefined;
}

function say(
  rest: readonly string[],
  addressWords: readonly (string | undefined)[],
  amountWord: string | undefined,
  sentence: (amount: string, addresses: readonly string[]) => string,
): string | undefined {
  const addresses = addressWords.flatMap((word) => readAddress(word) ?? []);
  if (rest.length > 0 || amountWord === undefined || addresses.length !== addressWords.length) return undefined;
  const amount = BigInt(`0x${amountWord}`);
  return sentence(amount === UNLIMITED ? 'an unlimited amount' : `${amount} base units`, addresses);
}

/** ABI: an address is the last 20 bytes of its word. The first 12 bytes must be zero. */
function readAddress(word: string | undefined): string | undefined {
  return word?.startsWith('0'.repeat(24)) ? addressText.print(hexToBytes(word.slice(24))) : undefined;
}
