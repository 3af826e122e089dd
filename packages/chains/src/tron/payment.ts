import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { addressBytes } from '../addresses/address-bytes.ts';
import { tron as addressFormat } from '../addresses/tron.ts';
import { type PaymentOrder, tokenOfOrder } from '../effects/payment-order.ts';
import { transferCallData } from '../ethereum/payment-call.ts';
import { concat } from '../shared/bytes.ts';
import { NO_TRON_REFERENCE, type TronReference } from './reference.ts';
import { bytesField as bytes, integerField as integer } from './wire-writer.ts';

/** How a payment on Tron is made. */
export interface TronPaymentOptions {
  /** Zeros by default: the service fills in a block and the expiration. */
  readonly reference?: TronReference;
  readonly timestampMs: number;
  /** The most sun that a transfer of a token may burn. */
  readonly feeLimit: bigint;
  /** Text for the receiver, which everybody can read. The network charges for it. */
  readonly memo?: string;
}

const ADDRESS_PREFIX = '41';

/**
 * `raw_data_hex` of one payment: TRX, or `transfer(address,uint256)` of a TRC-20 token. Throws ChainError.
 * Fields: core/Tron.proto of https://github.com/tronprotocol/protocol.
 */
export function tronPayment(order: PaymentOrder, { reference, timestampMs, feeLimit, memo }: TronPaymentOptions): string {
  const token = tokenOfOrder(order);
  const [type, name, content] =
    token === undefined ? ([1, 'TransferContract', transfer(order)] as const) : tokenTransfer(order, token);
  const parameter = concat([bytes(1, utf8ToBytes(`type.googleapis.com/protocol.${name}`)), bytes(2, content)]);
  const { refBlockBytes, refBlockHash, expiration } = reference ?? {
    ...NO_TRON_REFERENCE,
    expiration: `${timestampMs + 60_000}`,
  };
  return bytesToHex(
    concat([
      bytes(1, hexToBytes(refBlockBytes)),
      bytes(4, hexToBytes(refBlockHash)),
      integer(8, BigInt(expiration)),
      ...(memo === undefined || memo === '' ? [] : [bytes(10, utf8ToBytes(memo))]),
      bytes(11, concat([integer(1, BigInt(type)), bytes(2, parameter)])),
      integer(14, BigInt(timestampMs)),
      ...(token === undefined ? [] : [integer(18, feeLimit)]),
    ]),
  );
}

function transfer({ from, to, amount }: PaymentOrder): Uint8Array {
  return concat([bytes(1, account(from)), bytes(2, account(to)), integer(3, amount)]);
}

function tokenTransfer({ from, to, amount }: PaymentOrder, token: string) {
  const data = hexToBytes(transferCallData(addressBytes('tron', to), amount));
  return [31, 'TriggerSmartContract', concat([bytes(1, account(from)), bytes(2, account(token)), bytes(4, data)])] as const;
}

const account = (address: string) =>
  hexToBytes(`${ADDRESS_PREFIX}${addressBytes('tron', addressFormat.normalize(address)) ?? ''}`);
