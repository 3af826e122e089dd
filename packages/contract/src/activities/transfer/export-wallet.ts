import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { mnemonicLanguage, signedBundle, targetPublicKey } from '../../shapes/bundles.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({
  walletId: id,
  targetPublicKey,
  language: mnemonicLanguage
    .optional()
    .describe('The language of the recovery phrase. By default the one in which the wallet was created or imported'),
});

export const exportWallet = defineActivity({
  name: 'exportWallet',
  path: 'export_wallet',
  subject: 'transfer',
  summary: 'Export the recovery phrase of a wallet, encrypted to the caller',
  policy: { resource: 'WALLET', action: 'EXPORT' },
  type: 'ACTIVITY_TYPE_EXPORT_WALLET',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ walletId: z.string(), exportBundle: signedBundle }),
});
