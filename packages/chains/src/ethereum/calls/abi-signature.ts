import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { toHex } from '../../shared/bytes.ts';
import { invalidInterface } from '../../shared/refusal.ts';
import { type AbiParameter, abiType, tupleType } from '../abi-type.ts';
import type { AbiFunction } from '../contract-interface.ts';
import { isIdentifier } from '../solidity-type.ts';

/**
 * Reads a function from its written form: `approve(address spender, uint256 value)`. A tuple is a list in parentheses before its
 * name: `((address token, uint256 amount) permitted, uint256 nonce) permit`. Names may be missing.
 * Throws ChainError INVALID_INTERFACE.
 */
export function parseSignature(text: string): AbiFunction {
  const open = text.indexOf('(');
  const name = text.slice(0, Math.max(open, 0)).trim();
  if (!isIdentifier(name) || !text.trimEnd().endsWith(')')) throw invalidInterface('a function is written name(type name, …)');
  const inputs = parseParameters(text.trimEnd().slice(open + 1, -1), 0);
  const signature = `${name}${tupleType(inputs).name}`;
  return { name, signature, selector: selectorOf(signature), inputs };
}

/** The first four bytes of the hash of a canonical signature, as `0x` and 8 digits. */
export function selectorOf(signature: string): string {
  return toHex(keccak_256(utf8ToBytes(signature)).subarray(0, 4));
}

/** The parameters in a written list: `address to, uint256 amount`. Throws ChainError INVALID_INTERFACE. */
export function parseParameters(text: string, depth = 0): readonly AbiParameter[] {
  if (depth > 8) throw invalidInterface('tuples are nested more than 8 deep');
  return splitList(text).map((part) => {
    const tuple = part.startsWith('(') ? part.lastIndexOf(')') : -1;
    const components = tuple === -1 ? [] : parseParameters(part.slice(1, tuple), depth + 1);
    const [suffix = '', ...words] = (tuple === -1 ? part : `tuple${part.slice(tuple + 1)}`).trim().split(/\s+/);
    // Solidity writes where a value is kept between its type and its name.
    const names = words.filter((word) => !['memory', 'calldata', 'indexed', 'payable'].includes(word));
    const [name = ''] = names;
    if (names.length > 1 || (name !== '' && !isIdentifier(name))) throw invalidInterface('a parameter is a type and a name');
    return { name, type: abiType(suffix, components) };
  });
}

/** Splits at the commas outside of parentheses. */
function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (depth < 0) throw invalidInterface('the parentheses of a function do not match');
    if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  if (depth !== 0) throw invalidInterface('the parentheses of a function do not match');
  return text.trim() === '' ? [] : [...parts, text.slice(start).trim()];
}
