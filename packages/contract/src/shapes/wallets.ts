import { z } from 'zod';
import { defaults } from './defaults.ts';
import { addressFormat, curve } from './keys.ts';
import { label, timestamp } from './primitives.ts';

/** The format of a derivation path. */
export const pathFormat = z.enum(['PATH_FORMAT_BIP32']);

/** An account to derive from a wallet's seed. */
export const walletAccountParams = z
  .strictObject({ curve, pathFormat, path: z.string().min(1).max(128), addressFormat, name: label.optional() })
  .meta({ id: 'WalletAccountParams' });

/** An account to derive from a wallet's seed. */
export type WalletAccountParams = z.output<typeof walletAccountParams>;

/** Up to a thousand accounts. */
export const walletAccountList = z.array(walletAccountParams).max(1000, 'must have at most 1000 items');

/** The number of words of a recovery phrase. */
export const mnemonicLength = z.union(
  [z.literal(12), z.literal(15), z.literal(18), z.literal(21), z.literal(24)],
  'must be 12, 15, 18, 21 or 24',
);

/** A wallet to generate. */
export const walletParams = z
  .strictObject({
    walletName: label,
    accounts: walletAccountList,
    mnemonicLength: mnemonicLength.optional().meta({ default: defaults.mnemonicLength }),
  })
  .meta({ id: 'WalletParams' });

/** A wallet as the result of its creation shows it. */
export const walletResult = z.object({ walletId: z.string(), addresses: z.array(z.string()) }).meta({ id: 'WalletResult' });

/** A wallet as queries show it. */
export const wallet = z
  .object({
    walletId: z.string(),
    walletName: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    exported: z.boolean(),
    imported: z.boolean(),
    frozen: z.literal(true).optional().describe('Present on a frozen wallet, on the compatible path'),
  })
  .meta({ id: 'Wallet' });

/** A wallet account as queries show it. */
export const walletAccount = z
  .object({
    walletAccountId: z.string(),
    organizationId: z.string(),
    walletId: z.string(),
    curve,
    pathFormat,
    path: z.string(),
    addressFormat,
    address: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    publicKey: z.string(),
    name: z.string().optional(),
    walletDetails: wallet.optional(),
  })
  .meta({ id: 'WalletAccount' });

/** A wallet as queries show it. */
export type WalletShape = z.output<typeof wallet>;

/** A wallet account as queries show it. */
export type WalletAccountShape = z.output<typeof walletAccount>;
