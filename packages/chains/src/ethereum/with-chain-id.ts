import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { concat } from '../shared/bytes.ts';
import { toBigEndian } from './integer.ts';
import { decodeRlp, encodeRlp } from './rlp.ts';

/** The same unsigned transaction for another chain, in hexadecimal. A legacy transaction stays as it is. */
export function withChainId(unsignedHex: string, chainId: bigint): string {
  const bytes = hexToBytes(unsignedHex);
  const [type = 0] = bytes;
  if (type > 0x7f) return unsignedHex;
  const fields = decodeRlp(bytes.subarray(1));
  if (fields instanceof Uint8Array) return unsignedHex;
  return bytesToHex(concat([Uint8Array.of(type), encodeRlp([toBigEndian(chainId), ...fields.slice(1)])]));
}
