import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { signedBundle, targetPublicKey } from '../../shapes/bundles.ts';

const params = z.strictObject({
  address: z.string().min(1).max(256).register(policyMarks, { form: 'address' }),
  targetPublicKey,
});

export const exportWalletAccount = defineActivity({
  name: 'exportWalletAccount',
  path: 'export_wallet_account',
  subject: 'transfer',
  summary: 'Export the private key of one wallet account, encrypted to the caller',
  policy: { resource: 'WALLET', action: 'EXPORT' },
  type: 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ address: z.string(), exportBundle: signedBundle }),
});
