import { ApiKeyStamper, type Client, completed, generateApiKey, waitForApproval } from '@countersign/client';
import type { setupLink } from '@countersign/contract';
import { clientWith, type Session } from '../../session/session.ts';

/** Whom the link is for, and its key. */
type SetupKey = Parameters<typeof setupLink>[1];

/** Lifetime of the key that creates the link. The request may need approvals first, and the key is deleted right after. */
const KEY_SECONDS = '86400';

interface NewOrganization {
  readonly name: string;
  readonly person: { readonly name: string; readonly email: string };
}

/**
 * Creates a sub-organization whose first person enters it with a one-time link.
 * A parent cannot act in a sub-organization. Its first person therefore begins with a key that is only in the memory of this page: it creates
 * the one-time key, and deletes itself.
 * SECURITY: D971: afterwards the link is the only way in, it registers one passkey, and the parent has no key.
 */
export async function createWithFirstPerson(
  { reader }: Session,
  writer: Client,
  { name, person }: NewOrganization,
  waits: () => void,
): Promise<SetupKey> {
  const first = generateApiKey();
  const apiKey = {
    ...{ apiKeyName: 'Creation of the first link', publicKey: first.apiPublicKey },
    ...{ curveType: first.curveType, expirationSeconds: KEY_SECONDS },
  };
  const submitted = await writer.createSubOrganization({
    subOrganizationName: name,
    rootQuorumThreshold: 1,
    rootUsers: [{ userName: person.name, userEmail: person.email, apiKeys: [apiKey], authenticators: [], oauthProviders: [] }],
  });
  if (submitted.activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') waits();
  const { result } = await waitForApproval(reader, submitted);
  const [{ subOrganizationId: organizationId }] = Object.values(result) as [{ subOrganizationId: string }];
  const own = clientWith(organizationId, new ApiKeyStamper(first));
  const { userId } = await own.whoami();
  const { apiPublicKey: publicKey, apiPrivateKey: token } = generateApiKey();
  completed(await own.createSetupKey({ userId, publicKey }));
  const { apiKeys } = await own.getApiKeys({ userId });
  const apiKeyIds = apiKeys
    .filter(({ credential }) => credential.publicKey === first.apiPublicKey)
    .map(({ apiKeyId }) => apiKeyId);
  completed(await own.deleteApiKeys({ userId, apiKeyIds }));
  return { organizationId, userId, token };
}
