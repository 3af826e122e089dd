import { tron as addressFormat } from '../addresses/tron.ts';
import { coinKind, defineChain } from '../chain.ts';
import { TRON_NETWORK, TRX } from './assets.ts';
import { tronRawForm } from './raw-form.ts';
import { tronTransaction } from './transaction.ts';

export const tron = defineChain({
  id: 'tron',
  transactionType: 'TRANSACTION_TYPE_TRON',
  transaction: tronTransaction,
  raw: tronRawForm,
  namespace: 'tron.tx',
  addresses: { formats: [addressFormat.id], networks: 'every Tron network', forms: addressFormat.normalize },
  assets: {
    namespace: 'tron',
    network: { pattern: TRON_NETWORK, example: TRON_NETWORK },
    kinds: [
      { standard: 'trc20', example: 'trc20:<address>', normalize: addressFormat.normalize, isContract: true },
      {
        standard: 'trc10',
        example: 'trc10:<number>',
        normalize: (number) => (/^[1-9]\d{0,18}$/.test(number) ? number : undefined),
      },
      coinKind(195),
    ],
    coin: () => TRX,
    // Found in November 2026 in Trust Wallet's assets and, with its decimals, in many public repositories.
    tokens: [[`${TRON_NETWORK}/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t`, 'USDT', 6]],
    // WTRX, found in November 2026 in many public repositories.
    coinTokens: [[`${TRON_NETWORK}/trc20:TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR`, TRX.id]],
  },
  effects: { spendsFromOtherAddresses: false, callsCanSpendMore: false, receiverIsOwner: true },
  interfaces: [],
});
