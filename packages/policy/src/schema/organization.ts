import { t } from '../types.ts';

/** `wallet`, and an element of `wallets`. */
export const wallet = t.struct('Wallet', {
  id: { type: t.string, doc: 'The id of the wallet' },
  imported: { type: t.bool, doc: 'Whether it was imported' },
  exported: { type: t.bool, doc: 'Whether it was exported' },
  label: { type: t.string, doc: 'The name of the wallet' },
});

/** `wallet_account`. */
export const walletAccount = t.struct('WalletAccount', {
  address: { type: t.address('any'), doc: 'The address of the account' },
});

/** `private_key`. */
export const privateKey = t.struct('PrivateKey', {
  id: { type: t.string, doc: 'The id of the private key' },
  tags: { type: t.list(t.string), doc: 'The ids of its tags' },
  imported: { type: t.bool, doc: 'Whether it was imported' },
  exported: { type: t.bool, doc: 'Whether it was exported' },
  label: { type: t.string, doc: 'Its name' },
});

/** `tx`: what is known of a transaction of any chain. */
export const anyTransaction = t.struct('Transaction', {
  fully_parsed: {
    type: t.bool,
    doc: 'True only when every byte that has an effect was understood. Calls of Ethereum contracts count only where the organization stored an interface that decodes them',
  },
});
