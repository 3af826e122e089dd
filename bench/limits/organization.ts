import { createECDH } from 'node:crypto';
import type { LoadTarget } from '../load/messages.ts';
import { Stamper } from '../stamper.ts';

/** An organization whose member signs under limits. */
export interface LimitedTarget extends LoadTarget {
  /** The limits that count its signatures. */
  readonly controlIds: readonly string[];
}

type Json = ReturnType<typeof JSON.parse>;

const DAY = '86400';

function newKey() {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const apiPrivateKey = pair.getPrivateKey('hex').padStart(64, '0');
  return { apiPublicKey: pair.getPublicKey('hex', 'compressed'), apiPrivateKey };
}

/** Creates an organization with a number of limits. The first one counts signatures, and the policy refers to it. */
export async function createLimitedTarget(parent: LoadTarget, controls: number): Promise<LimitedTarget> {
  const [rootKey, memberKey] = [newKey(), newKey()];
  const { host, port } = parent;
  let timestampMs = Date.now();
  const submit = async (stamper: Stamper, organizationId: string, type: string, parameters: object): Promise<Json> => {
    const path = type
      .replace(/^ACTIVITY_TYPE_/, '')
      .replace(/_V\d+$/, '')
      .toLowerCase();
    timestampMs += 1;
    const body = JSON.stringify({ type, timestampMs: String(timestampMs), organizationId, parameters });
    const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper.stamp(body) };
    const response = await fetch(`http://${host}:${port}/public/v1/submit/${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${type}: ${text}`);
    return Object.values(JSON.parse(text).activity.result.activity.result)[0];
  };
  const userOf = (userName: string, publicKey: string) => ({
    userName,
    apiKeys: [{ apiKeyName: userName, publicKey, curveType: 'API_KEY_CURVE_P256' }],
    authenticators: [],
    oauthProviders: [],
  });
  const { subOrganizationId: organizationId } = await submit(
    new Stamper(parent),
    parent.organizationId,
    'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
    { subOrganizationName: 'Limited', rootUsers: [userOf('Root', rootKey.apiPublicKey)], rootQuorumThreshold: 1 },
  );
  const root = new Stamper(rootKey);
  const asRoot = (type: string, parameters: object) => submit(root, organizationId, type, parameters);
  const member = { ...userOf('Member', memberKey.apiPublicKey), userTags: [] };
  const { userIds } = await asRoot('ACTIVITY_TYPE_CREATE_USERS_V3', { users: [member] });
  const key = {
    privateKeyName: 'Key',
    curve: 'CURVE_SECP256K1',
    privateKeyTags: [],
    addressFormats: ['ADDRESS_FORMAT_COMPRESSED'],
  };
  const { privateKeys } = await asRoot('ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2', { privateKeys: [key] });
  const controlIds: string[] = [];
  for (let index = 0; index < controls; index++) {
    // All but the first one count something that never happens here.
    const activityType = index === 0 ? 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' : 'ACTIVITY_TYPE_EXPORT_WALLET';
    const { velocityControlId } = await asRoot('ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL', {
      name: `Limit ${index}`,
      identifier: `limit_${index}`,
      dataSource: { activityExecution: { filter: { activity: [{ activityType }] } } },
      aggregation: {
        method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
        operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
        threshold: '1000000000',
        window: { rolling: { duration: DAY } },
        groupBy: { organization: {} },
      },
    });
    controlIds.push(velocityControlId);
  }
  await asRoot('ACTIVITY_TYPE_CREATE_POLICY_V3', {
    policyName: 'Sign',
    effect: 'EFFECT_ALLOW',
    condition: `activity.action == 'SIGN'${controls === 0 ? '' : ' && controls.limit_0'}`,
    consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
    notes: '',
  });
  const { privateKeyId, addresses } = privateKeys[0];
  return { host, port, organizationId, privateKeyId, signingPublicKeyHex: addresses[0].address, ...memberKey, controlIds };
}
