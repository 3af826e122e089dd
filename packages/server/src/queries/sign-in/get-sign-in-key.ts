import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';

export const getSignInKey = resolve(queries.getSignInKey, async ({ organization, signInKey }) => {
  const publicKey = signInKey(organization.id);
  const userId = organization.apiKeys.get(organization.apiKeyByPublicKey.get(publicKey) ?? '')?.userId;
  return { publicKey, ...(userId !== undefined && { userId }) };
});
