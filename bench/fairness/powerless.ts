import { Stamper } from '../stamper.ts';
import { newApiKey, type Sender } from './requests.ts';

/** Creates a user without any rights in an organization. */
export async function createPowerless(url: string, root: Sender): Promise<Sender> {
  const key = newApiKey();
  const { organizationId } = root;
  const apiKeys = [{ apiKeyName: 'Powerless', publicKey: key.apiPublicKey, curveType: 'API_KEY_CURVE_P256' }];
  const user = { userName: 'Powerless', apiKeys, authenticators: [], oauthProviders: [], userTags: [] };
  const body = JSON.stringify({
    type: 'ACTIVITY_TYPE_CREATE_USERS_V3',
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { users: [user] },
  });
  const response = await fetch(`${url}/public/v1/submit/create_users`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Stamp': new Stamper(root).stamp(body) },
    body,
  });
  if (!response.ok) throw new Error(`the user without rights could not be created: ${await response.text()}`);
  return { organizationId, ...key };
}
