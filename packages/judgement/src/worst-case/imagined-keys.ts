import {
  type AddressFormatId,
  accountAddress,
  addressBytes,
  addressFormats,
  ChainError,
  type Curve,
  encodeAddress,
} from '@countersign/chains';
import type { ChainId } from '@countersign/contract';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { JudgedKey, JudgedWallet } from '../organization.ts';

/** A chain of the hostile requests. */
export type HostileChain = ChainId;

/** Something that signs: a wallet with an account on every chain, or private keys. */
export interface Holder {
  readonly wallet?: JudgedWallet;
  readonly keys: { readonly [C in HostileChain]: JudgedKey };
  /** The chain whose key signs requests that are about no chain. */
  readonly home: HostileChain;
  /** The key that signs these requests, if it belongs to another chain. */
  readonly other?: JudgedKey;
}

interface KeyKind {
  readonly curve: Curve & JudgedKey['body']['curve'];
  readonly publicKey: string;
  readonly format: AddressFormatId;
}

/** The key of the example in EIP-155, and the first test key of RFC 8032. Everyone knows their private keys. */
const SECP256K1 = '024bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382';
const ED25519 = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

const kinds: { readonly [C in HostileChain]: KeyKind } = {
  ethereum: { curve: 'CURVE_SECP256K1', publicKey: SECP256K1, format: 'ADDRESS_FORMAT_ETHEREUM' },
  solana: { curve: 'CURVE_ED25519', publicKey: ED25519, format: 'ADDRESS_FORMAT_SOLANA' },
  tron: { curve: 'CURVE_SECP256K1', publicKey: SECP256K1, format: 'ADDRESS_FORMAT_TRON' },
  bitcoin: { curve: 'CURVE_SECP256K1', publicKey: SECP256K1, format: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR' },
};

const dates = { createdAtMs: 0, updatedAtMs: 0 };
const chains = Object.keys(kinds) as readonly HostileChain[];
const eachChain = (keyOf: (chain: HostileChain, kind: KeyKind, address: string) => JudgedKey): Holder['keys'] =>
  Object.fromEntries(chains.map((chain) => [chain, keyOf(chain, kinds[chain], addressOf(chain))])) as Holder['keys'];

let known: { readonly [C in HostileChain]: string } | undefined;

function addressOf(chain: HostileChain): string {
  known ??= Object.fromEntries(
    chains.map((each) => {
      const { format, curve, publicKey } = kinds[each];
      return [each, encodeAddress(format, curve, hexToBytes(publicKey))];
    }),
  ) as typeof known & object;
  return known[chain];
}

/**
 * A wallet that no organization has. `address` is the address of an account that a policy names. The account of its chain shows it to
 * policies; the others have addresses of theirs.
 */
export function imaginedWallet(id: string, walletName: string, address?: string): Holder {
  const wallet: JudgedWallet = { kind: 'wallet', id, body: { ...dates, walletName, exported: false, imported: false } };
  const home = chains.find((chain) => address !== undefined && isAccountOf(chain, address));
  const keys = eachChain((chain, { curve, publicKey, format }, own) => ({
    kind: 'walletAccount',
    id: `account of ${chain}`,
    body: {
      ...dates,
      walletId: id,
      curve,
      path: "m/0'",
      addressFormat: format,
      address: (chain === home ? address : undefined) ?? own,
      publicKey,
    },
  }));
  const other = address === undefined || home !== undefined ? undefined : otherAccount(id, address);
  return { wallet, keys, home: home ?? 'ethereum', ...(other !== undefined && { other }) };
}

/** An account on a chain whose transactions the service does not parse. It signs payloads. Undefined for a text that is no address. */
function otherAccount(walletId: string, address: string): JudgedKey | undefined {
  const format = Object.values(addressFormats).find(({ normalize }) => isReadable(() => normalize(address)));
  const curve = format?.curves[0];
  if (format === undefined || curve === undefined || curve === 'CURVE_P256') return undefined;
  const publicKey = curve === 'CURVE_ED25519' ? ED25519 : SECP256K1;
  const body = { ...dates, walletId, curve, path: "m/0'", addressFormat: format.id, address, publicKey };
  return { kind: 'walletAccount', id: 'account of another chain', body };
}

/** Whether an account of a chain can have an address. Some texts are readable as bytes of a chain without being an address of it. */
function isAccountOf(chain: HostileChain, address: string): boolean {
  const { format } = kinds[chain];
  return addressBytes(chain, address) !== undefined && isReadable(() => accountAddress({ addressFormat: format, address }));
}

/** Whether a reader accepts what it is given. */
function isReadable(read: () => string): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

/** Private keys that no organization has. */
export function imaginedPrivateKeys(id: string, privateKeyName: string, privateKeyTags: readonly string[]): Holder {
  const keys = eachChain((_, { curve, publicKey, format }, address) => ({
    kind: 'privateKey',
    id,
    body: {
      ...dates,
      privateKeyName,
      curve,
      publicKey,
      addresses: [{ format, address }],
      privateKeyTags,
      exported: false,
      imported: false,
    },
  }));
  return { keys, home: 'ethereum' };
}

/** The name by which a request names a key. */
export function signWithOf(key: JudgedKey): string {
  return key.kind === 'walletAccount' ? key.body.address : key.id;
}

const bytesByKey = new Map<string, string>();
/** Bounds the memory of the cache. Few keys are not imagined. */
const MAX_KNOWN = 64;

/** The bytes that transactions of a chain contain for a key, in hexadecimal. A Taproot address needs curve arithmetic. */
export function addressBytesOf({ body: { publicKey } }: JudgedKey, chain: HostileChain): string {
  const name = `${chain}/${publicKey}`;
  const before = bytesByKey.get(name);
  if (before !== undefined) return before;
  const { format, curve } = kinds[chain];
  const bytes = addressBytes(chain, encodeAddress(format, curve, hexToBytes(publicKey))) ?? '';
  if (bytesByKey.size >= MAX_KNOWN) bytesByKey.clear();
  bytesByKey.set(name, bytes);
  return bytes;
}
