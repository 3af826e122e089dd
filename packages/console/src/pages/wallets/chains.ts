/** Chains that people choose by name. The service knows more formats; these are the common ones. */
export const chains = [
  {
    id: 'ethereum',
    name: 'Ethereum and EVM chains',
    curve: 'CURVE_SECP256K1',
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    path: (index: number) => `m/44'/60'/0'/0/${index}`,
  },
  {
    id: 'solana',
    name: 'Solana',
    curve: 'CURVE_ED25519',
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
    path: (index: number) => `m/44'/501'/${index}'/0'`,
  },
  {
    id: 'bitcoin',
    name: 'Bitcoin',
    curve: 'CURVE_SECP256K1',
    addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH',
    path: (index: number) => `m/84'/0'/0'/0/${index}`,
  },
  {
    id: 'taproot',
    name: 'Bitcoin (Taproot)',
    curve: 'CURVE_SECP256K1',
    addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR',
    path: (index: number) => `m/86'/0'/0'/0/${index}`,
  },
  {
    id: 'tron',
    name: 'Tron',
    curve: 'CURVE_SECP256K1',
    addressFormat: 'ADDRESS_FORMAT_TRON',
    path: (index: number) => `m/44'/195'/0'/0/${index}`,
  },
  {
    id: 'cosmos',
    name: 'Cosmos',
    curve: 'CURVE_SECP256K1',
    addressFormat: 'ADDRESS_FORMAT_COSMOS',
    path: (index: number) => `m/44'/118'/0'/0/${index}`,
  },
  {
    id: 'sui',
    name: 'Sui',
    curve: 'CURVE_ED25519',
    addressFormat: 'ADDRESS_FORMAT_SUI',
    path: (index: number) => `m/44'/784'/0'/0'/${index}'`,
  },
  {
    id: 'aptos',
    name: 'Aptos',
    curve: 'CURVE_ED25519',
    addressFormat: 'ADDRESS_FORMAT_APTOS',
    path: (index: number) => `m/44'/637'/0'/0'/${index}'`,
  },
  {
    id: 'ton',
    name: 'TON',
    curve: 'CURVE_ED25519',
    addressFormat: 'ADDRESS_FORMAT_TON_V4R2',
    path: (index: number) => `m/44'/607'/0'/0'/${index}'`,
  },
  {
    id: 'stellar',
    name: 'Stellar',
    curve: 'CURVE_ED25519',
    addressFormat: 'ADDRESS_FORMAT_XLM',
    path: (index: number) => `m/44'/148'/${index}'`,
  },
  {
    id: 'ripple',
    name: 'XRP Ledger',
    curve: 'CURVE_SECP256K1',
    addressFormat: 'ADDRESS_FORMAT_XRP',
    path: (index: number) => `m/44'/144'/0'/0/${index}`,
  },
] as const;

export type Chain = (typeof chains)[number];

/** The name of a chain by the format of its addresses. */
export function chainName(addressFormat: string): string {
  const known = chains.find((chain) => chain.addressFormat === addressFormat);
  return known?.name ?? addressFormat.replace('ADDRESS_FORMAT_', '').replaceAll('_', ' ').toLowerCase();
}

/** The parameters of the account of a chain with this number. */
export function accountParams({ curve, addressFormat, path }: Chain, index: number) {
  return { curve, addressFormat, pathFormat: 'PATH_FORMAT_BIP32' as const, path: path(index) };
}
