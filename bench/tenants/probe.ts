import { createECDH } from 'node:crypto';
import type { SigningTarget } from '../signing-request.ts';
import type { ApiKey, Stamper } from '../stamper.ts';

/** Creates a sub-organization through the API, with its own API key and its own signing key. */
export async function createProbe(
  url: string,
  { organizationId }: { readonly organizationId: string },
  parent: Stamper,
): Promise<SigningTarget & ApiKey> {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const apiPublicKey = pair.getPublicKey('hex', 'compressed');
  const body = JSON.stringify({
    type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3',
    timestampMs: String(Date.now()),
    organizationId,
    parameters: {
      subOrganizationName: 'Probe',
      rootUsers: [{ userName: 'Probe', apiKeys: [{ apiKeyName: 'Probe', publicKey: apiPublicKey }], authenticators: [] }],
      rootQuorumThreshold: 1,
      privateKeys: [{ privateKeyName: 'Probe', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }],
    },
  });
  const response = await fetch(`${url}/public/v1/submit/create_sub_organization`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Stamp': parent.stamp(body) },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the sub-organization to measure could not be created: ${text}`);
  const { subOrganizationId, privateKeys } = JSON.parse(text).activity.result.activity.result.createSubOrganizationResult;
  return {
    organizationId: subOrganizationId,
    privateKeyId: privateKeys[0].privateKeyId,
    apiPublicKey,
    apiPrivateKey: pair.getPrivateKey('hex').padStart(64, '0'),
  };
}
