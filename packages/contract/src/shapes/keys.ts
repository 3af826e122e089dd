import { z } from 'zod';
import { id, label, timestamp } from './primitives.ts';

/** The curve of a key. */
export const curve = z.enum(['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256']).meta({ id: 'Curve' });

const networks = ['MAINNET', 'TESTNET', 'SIGNET', 'REGTEST'] as const;
const scripts = ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'] as const;
const bitcoinFormats = networks.flatMap((network) =>
  scripts.map((script) => `ADDRESS_FORMAT_BITCOIN_${network}_${script}` as const),
);

/** Every address format of the specification, and TON_V5R1 for clients of the compatible base path. */
export const addressFormats = [
  'ADDRESS_FORMAT_UNCOMPRESSED',
  'ADDRESS_FORMAT_COMPRESSED',
  'ADDRESS_FORMAT_ETHEREUM',
  'ADDRESS_FORMAT_SOLANA',
  'ADDRESS_FORMAT_COSMOS',
  'ADDRESS_FORMAT_TRON',
  'ADDRESS_FORMAT_SUI',
  'ADDRESS_FORMAT_APTOS',
  'ADDRESS_FORMAT_SEI',
  'ADDRESS_FORMAT_XLM',
  'ADDRESS_FORMAT_XRP',
  'ADDRESS_FORMAT_DOGE_MAINNET',
  'ADDRESS_FORMAT_DOGE_TESTNET',
  'ADDRESS_FORMAT_TON_V3R2',
  'ADDRESS_FORMAT_TON_V4R2',
  'ADDRESS_FORMAT_TON_V5R1',
  ...bitcoinFormats,
] as const;

/** The format of an address. */
export const addressFormat = z.enum(addressFormats).meta({ id: 'AddressFormat' });

/** A private key to generate. */
export const privateKeyParams = z
  .strictObject({
    privateKeyName: label,
    curve,
    privateKeyTags: z.array(id).max(100, 'must have at most 100 items'),
    addressFormats: z.array(addressFormat).max(addressFormats.length),
  })
  .meta({ id: 'PrivateKeyParams' });

/** A private key to generate. */
export type PrivateKeyParams = z.output<typeof privateKeyParams>;

/** An address in one format. */
export const address = z.object({ format: addressFormat, address: z.string() }).meta({ id: 'Address' });

/** A private key as the result of its creation shows it. */
export const privateKeyResult = z
  .object({ privateKeyId: z.string(), addresses: z.array(address) })
  .meta({ id: 'PrivateKeyResult' });

/** A private key as queries show it. */
export const privateKey = z
  .object({
    privateKeyId: z.string(),
    publicKey: z.string(),
    privateKeyName: z.string(),
    curve,
    addresses: z.array(address),
    privateKeyTags: z.array(z.string()),
    createdAt: timestamp,
    updatedAt: timestamp,
    exported: z.boolean(),
    imported: z.boolean(),
    disabled: z.boolean().optional().describe('True if the key can no longer sign. Only on the compatible base path'),
    frozen: z.literal(true).optional().describe('Present on a frozen key, on the compatible path'),
  })
  .meta({ id: 'PrivateKey' });

/** A private key as queries show it. */
export type PrivateKeyShape = z.output<typeof privateKey>;
