import { addressBytes } from '@countersign/chains';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { AMOUNT, toBaseUnits } from './amount.ts';
import type { PaymentParts } from './parts.ts';

/** What a signature for Tron needs and only the chain knows. */
export const tronFields = z.strictObject({
  blockId: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .describe('The id of a block of the last minutes'),
  expirationSeconds: z.int().min(60).max(86_400).optional().describe('How long the transaction is good. An hour by default'),
  feeLimitTrx: z.string().regex(AMOUNT).optional().describe('The most TRX that a transfer of a token may burn. 30 by default'),
});

type TronFields = z.output<typeof tronFields>;

const HOUR_SECONDS = 3_600;
const TRANSFER = 1;
const TRIGGER_SMART_CONTRACT = 31;

/** `raw_data` of the transaction: core/Tron.proto of https://github.com/tronprotocol/protocol. */
export function tronPayment(parts: PaymentParts, fields: TronFields, nowMs: number): string {
  const [, token] = parts.asset.id.split('/trc20:');
  const isToken = token !== undefined;
  const content = isToken ? tokenTransfer(parts, token) : transfer(parts);
  const [type, name] = isToken ? [TRIGGER_SMART_CONTRACT, 'TriggerSmartContract'] : [TRANSFER, 'TransferContract'];
  const parameter = concatBytes(bytes(1, utf8ToBytes(`type.googleapis.com/protocol.${name}`)), bytes(2, content));
  const block = hexToBytes(fields.blockId);
  return bytesToHex(
    concatBytes(
      bytes(1, block.subarray(6, 8)),
      bytes(4, block.subarray(8, 16)),
      integer(8, BigInt(nowMs + (fields.expirationSeconds ?? HOUR_SECONDS) * 1_000)),
      bytes(11, concatBytes(integer(1, BigInt(type)), bytes(2, parameter))),
      integer(14, BigInt(nowMs)),
      ...(isToken ? [integer(18, toBaseUnits(fields.feeLimitTrx ?? '30', 6))] : []),
    ),
  );
}

/** TransferContract. */
function transfer({ from, to, amount }: PaymentParts): Uint8Array {
  return concatBytes(bytes(1, account(from)), bytes(2, account(to)), integer(3, amount));
}

/** TriggerSmartContract: `transfer(address,uint256)` of a token (TRC-20). */
function tokenTransfer({ from, to, amount }: PaymentParts, token: string): Uint8Array {
  const data = `a9059cbb${(addressBytes('tron', to) ?? '').padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
  return concatBytes(bytes(1, account(from)), bytes(2, account(token)), bytes(4, hexToBytes(data)));
}

const account = (address: string) => hexToBytes(`41${addressBytes('tron', address) ?? ''}`);

function bytes(field: number, content: Uint8Array): Uint8Array {
  return concatBytes(varint(BigInt((field << 3) | 2)), varint(BigInt(content.length)), content);
}

function integer(field: number, value: bigint): Uint8Array {
  return concatBytes(varint(BigInt(field << 3)), varint(value));
}

function varint(value: bigint): Uint8Array {
  const found: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Uint8Array.of(...found, Number(rest));
    found.push(Number(rest & 0x7fn) | 0x80);
  }
}
