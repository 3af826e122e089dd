import { t } from '../types.ts';

/** `wallet`, and an element of `wallets`. */
export const wallet = t.struct('Wallet', {
  id: { type: t.string, doc: 'The id of the wallet' },
  imported: { type: t.bool, doc: 'Whether it was imported' },
  exported: { type: t.bool, doc: 'Whether it was exported' },
  label: { type: t.string, doc: 'The name of the wallet' },
});

const secretProperty = t.struct('SecretProperty', {
  key: { type: t.string, doc: 'The name of the property' },
  value: { type: t.string, doc: 'Its value' },
});

/** An element of `secrets`. */
export const secret = t.struct('Secret', {
  id: { type: t.string, doc: 'The id of the secret' },
  label: { type: t.string, doc: 'Its name. Empty if it has none' },
  exported: { type: t.bool, doc: 'Whether it was exported' },
  static_properties: { type: t.list(secretProperty), doc: 'Its properties, which never change' },
});

/** `wallet_account`. */
export const walletAccount = t.struct('WalletAccount', {
  address: { type: t.anyAddress(), doc: 'The address of the account' },
});

/** `private_key`. */
export const privateKey = t.struct('PrivateKey', {
  id: { type: t.string, doc: 'The id of the private key' },
  tags: { type: t.list(t.string), doc: 'The ids of its tags' },
  imported: { type: t.bool, doc: 'Whether it was imported' },
  exported: { type: t.bool, doc: 'Whether it was exported' },
  label: { type: t.string, doc: 'Its name' },
});

/** `tx`: fields that transactions of all chains have. */
export const anyTransaction = t.struct('Transaction', {
  fully_parsed: {
    type: t.bool,
    doc: 'True only when every byte that has an effect was understood by stored interfaces and by what this field always counted',
    example: 'tx.fully_parsed',
  },
  understood: {
    type: t.bool,
    doc: 'True only when `effects` lists everything that it does, and the service, a token list or a stored interface vouches for each contract',
    example: "tx.understood && effects.all(e, e.kind in ['TRANSFER', 'FEE'])",
  },
  max_fee: {
    type: t.int,
    doc: 'The most that carrying it out can cost, in base units of the coin. Missing where the bytes do not tell. Rollups such as OP Mainnet and Base add a fee for data that no field of a transaction limits',
    example: 'eth.tx.chain_id == 1 && tx.max_fee <= 0.01 ETH',
  },
  max_cost: {
    type: t.int,
    doc: 'The most that the signer can lose of the coin: fee, transfers and what new accounts cost. Missing where the bytes do not tell',
    example: 'eth.tx.chain_id == 1 && tx.max_cost <= 2 ETH',
  },
});
