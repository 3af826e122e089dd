import { bitcoinFormats, bitcoinSpellings } from '../addresses/bitcoin.ts';
import { coinKind, defineChain } from '../chain.ts';
import { BTC, bitcoinChainIds } from './effects.ts';
import { bitcoinRawForm } from './raw-form.ts';
import { bitcoinTransaction } from './transaction.ts';

export const bitcoin = defineChain({
  id: 'bitcoin',
  transactionType: 'TRANSACTION_TYPE_BITCOIN',
  transaction: bitcoinTransaction,
  raw: bitcoinRawForm,
  namespace: 'bitcoin.tx',
  addresses: {
    formats: bitcoinFormats.map(({ id }) => id),
    networks: 'every Bitcoin network',
    forms: bitcoinSpellings,
    hasSeveralForms: true,
  },
  assets: {
    namespace: 'bip122',
    network: { pattern: `bip122:(?:${Object.values(bitcoinChainIds).join('|')})`, example: 'bip122:<chain>' },
    kinds: [coinKind(0)],
    coin: () => BTC,
    tokens: [],
    coinTokens: [],
  },
  // The inputs can have other addresses than the key that signs them.
  effects: { spendsFromOtherAddresses: true, callsCanSpendMore: false, receiverIsOwner: true },
  interfaces: [],
});
