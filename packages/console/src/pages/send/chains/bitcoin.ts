import {
  type AddressFormatId,
  addressFormatIds,
  addressFormats,
  BITCOIN_DUST,
  bitcoinPayment,
  bitcoinSpends,
  ChainError,
} from '@countersign/chains';
import { hexToBytes } from '@noble/hashes/utils.js';
import { bitcoinFee, MOST_RATE } from '../../../data/highest-fees.ts';
import { type Draft, feeAmount, type Suggestion, suggestedFor } from '../draft.ts';
import type { PaidAsset } from '../payment.ts';
import type { PaymentChain } from '../payment-chain.ts';

export interface BitcoinFees {
  readonly satoshisPerKilobyte: string;
  /** Transactions that paid the account, in hexadecimal. */
  readonly previous: readonly string[];
}

/** CAIP-2 names by the networks in the names of address formats. */
const networkNames: Readonly<Record<string, string>> = {
  MAINNET: 'bip122:000000000019d6689c085ae165831e93',
  TESTNET: 'bip122:000000000933ea01ad0ee984209779ba',
  SIGNET: 'bip122:00000008819873e925422c1ff0f99f7c',
  REGTEST: 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328',
};
/** Signatures of P2PKH coins do not cover amounts, and the service does not send them. */
const payerFormat = /^ADDRESS_FORMAT_BITCOIN_([A-Z]+)_(?!P2PKH$)/;
/** Satoshis for a virtual byte are typed, with three decimals. */
const RATE_DECIMALS = 3;

const networkOf = (addressFormat: string) => networkNames[payerFormat.exec(addressFormat)?.[1] ?? ''];

/** Payments on Bitcoin. */
export const bitcoinPayments: PaymentChain<BitcoinFees> = {
  networksOf(addressFormat) {
    const network = networkOf(addressFormat);
    return network === undefined ? [] : [network];
  },
  readReceiver(text, network) {
    for (const format of formatsOf(network)) {
      try {
        return addressFormats[format].normalize(text.trim());
      } catch (error) {
        // Not an address of this script. Another one may have it.
        if (!(error instanceof ChainError)) throw error;
      }
    }
    return undefined;
  },
  isNobody: () => false,
  feesOf,
  build({ from, network, to, asset, amount, fees }, { idempotencyKey, signer: { curve, publicKey, addressFormat } }) {
    const order = { from, to, asset: asset.id, decimals: asset.decimals, amount };
    const { psbt: unsignedTransaction } = bitcoinPayment(order, {
      signer: { curve, publicKey: hexToBytes(publicKey), ...(addressFormat !== undefined && { addressFormat }) },
      previous: fees.previous,
      satoshisPerKilobyte: BigInt(fees.satoshisPerKilobyte),
    });
    const parameters = { signWith: from, caip2: network, unsignedTransaction, idempotencyKey };
    return { type: 'ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION', parameters };
  },
  /** The price that was chosen for what the request spends, and change that nodes do not relay. */
  mostFee({ fees }, { parameters }) {
    const inputs = bitcoinSpends(String(parameters.unsignedTransaction)).outputs.length;
    return bitcoinFee({ inputs, outputs: 1 }, BigInt(fees.satoshisPerKilobyte)) + BITCOIN_DUST;
  },
  sends: 'bitcoinSendTransaction',
  withoutNode: 'NOTHING',
};

function formatsOf(network: string): readonly AddressFormatId[] {
  const name = Object.keys(networkNames).find((each) => networkNames[each] === network);
  return addressFormatIds.filter((format) => format.startsWith(`ADDRESS_FORMAT_BITCOIN_${name}_`));
}

function feesOf(draft: Draft, _: PaidAsset, suggestions: readonly Suggestion[] | undefined): BitcoinFees | undefined {
  const suggested = suggestedFor(draft, suggestions)?.satoshisPerKilobyte;
  const rate = suggested === undefined ? feeAmount(draft.ownFee, RATE_DECIMALS) : BigInt(suggested);
  const previous = draft.coins.split(/\s+/).filter((each) => each !== '');
  if (rate === undefined || rate === 0n || rate > MOST_RATE || previous.length === 0) return undefined;
  return { satoshisPerKilobyte: rate.toString(), previous };
}
