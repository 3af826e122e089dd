import type { ChainId, WalletAccountParams } from '@countersign/contract';

/** A kind of account. `N` in the path stands for the number of the account. */
interface Choice extends Pick<WalletAccountParams, 'curve' | 'addressFormat' | 'path'> {
  readonly name: string;
}

const secp256k1 = (name: string, addressFormat: Choice['addressFormat'], path: string): Choice => ({
  name,
  curve: 'CURVE_SECP256K1',
  addressFormat,
  path,
});
const ed25519 = (name: string, addressFormat: Choice['addressFormat'], path: string): Choice => ({
  name,
  curve: 'CURVE_ED25519',
  addressFormat,
  path,
});

/** Every chain of the contract, and common address formats of others. */
const choices = {
  ethereum: secp256k1('Ethereum and EVM chains', 'ADDRESS_FORMAT_ETHEREUM', "m/44'/60'/0'/0/N"),
  solana: ed25519('Solana', 'ADDRESS_FORMAT_SOLANA', "m/44'/501'/N'/0'"),
  bitcoin: secp256k1('Bitcoin', 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH', "m/84'/0'/0'/0/N"),
  taproot: secp256k1('Bitcoin (Taproot)', 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR', "m/86'/0'/0'/0/N"),
  tron: secp256k1('Tron', 'ADDRESS_FORMAT_TRON', "m/44'/195'/0'/0/N"),
  cosmos: secp256k1('Cosmos', 'ADDRESS_FORMAT_COSMOS', "m/44'/118'/0'/0/N"),
  sui: ed25519('Sui', 'ADDRESS_FORMAT_SUI', "m/44'/784'/0'/0'/N'"),
  aptos: ed25519('Aptos', 'ADDRESS_FORMAT_APTOS', "m/44'/637'/0'/0'/N'"),
  ton: ed25519('TON', 'ADDRESS_FORMAT_TON_V4R2', "m/44'/607'/0'/0'/N'"),
  stellar: ed25519('Stellar', 'ADDRESS_FORMAT_XLM', "m/44'/148'/N'"),
  ripple: secp256k1('XRP Ledger', 'ADDRESS_FORMAT_XRP', "m/44'/144'/0'/0/N"),
} satisfies Record<ChainId, Choice> & Record<string, Choice>;

export interface Chain extends Choice {
  readonly id: keyof typeof choices;
}

/** Chains that people choose by name. The service knows more formats; these are the common ones. */
export const chains = Object.entries(choices).map(([id, choice]) => ({ id, ...choice })) as [Chain, ...Chain[]];

/** The chain with this address format. */
export function chainOf(addressFormat: string | undefined): Chain | undefined {
  return chains.find((chain) => chain.addressFormat === addressFormat);
}

/** The name of a chain by the format of its addresses. */
export function chainName(addressFormat: string): string {
  return chainOf(addressFormat)?.name ?? addressFormat.replace('ADDRESS_FORMAT_', '').replaceAll('_', ' ').toLowerCase();
}

/** The derivation path of the account of a chain with this number. */
export function pathAt({ path }: Chain, index: number): string {
  return path.replace('N', String(index));
}

/** The parameters of the account of a chain with this number. */
export function accountParams(chain: Chain, index: number): WalletAccountParams {
  const { curve, addressFormat } = chain;
  return { curve, addressFormat, pathFormat: 'PATH_FORMAT_BIP32', path: pathAt(chain, index) };
}
