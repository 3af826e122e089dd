import { randomBytes } from 'node:crypto';
import { unroutedUrl } from './unrouted-url.ts';
import { uniqueName } from './world.ts';

export function interfaceParams() {
  return {
    smartContractAddress: `0x${randomBytes(20).toString('hex')}`,
    smartContractInterface: JSON.stringify([
      { type: 'function', name: 'ping', inputs: [], outputs: [], stateMutability: 'view' },
    ]),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: uniqueName('Interface'),
    notes: 'none',
  };
}

/** The browser of RFC 8291, section 5, with an unreachable push service. */
export function pushSubscriptionParams() {
  return {
    name: 'Browser on a phone',
    endpoint: new URL('/push/v2/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV', unroutedUrl).href,
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
}

export function contactParams() {
  const address = `0x${randomBytes(20).toString('hex')}`;
  return { label: uniqueName('Vendor'), address, contactTags: ['vendors'], notes: 'none' };
}

export function tokenParams() {
  return {
    asset: `eip155:1/erc20:0x${randomBytes(20).toString('hex')}`,
    symbol: randomBytes(6).toString('hex'),
    decimals: 6,
  };
}

/** At most 100,000 USDC a day. */
export function controlParams() {
  const definition = [{ caip19: 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', decimals: '6' }];
  return {
    name: uniqueName('Daily USDC'),
    identifier: `daily_${randomBytes(6).toString('hex')}`,
    dataSource: { chainAssetTransfer: { definition } },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      threshold: '100000',
      window: { rolling: { duration: '86400' } },
      groupBy: { organization: {} },
    },
  };
}

/** A policy. Several of them are equivalent, which causes a warning. */
export function policyParams(userId: string) {
  return {
    policyName: uniqueName('Policy'),
    effect: 'EFFECT_ALLOW',
    condition: "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
    notes: 'none',
  };
}

/** An MFA policy that asks a user for a session or an API key to sign. */
export function mfaPolicyParams(userId: string) {
  const methods = ['AUTHENTICATION_TYPE_SESSION', 'AUTHENTICATION_TYPE_API_KEY'];
  return {
    userId,
    mfaPolicyName: uniqueName('MFA policy'),
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: [{ any: methods.map((type) => ({ type })) }],
    order: 0,
    notes: 'none',
  };
}

/** An endpoint that gets an event when a secret is exported. */
export function endpointParams() {
  const filtersJson = JSON.stringify({ types: ['ACTIVITY_TYPE_EXPORT_PRIVATE_KEY', 'ACTIVITY_TYPE_EXPORT_WALLET'] });
  const subscriptions = [{ eventType: 'ACTIVITY_UPDATES', filtersJson, isActive: true }];
  return { url: unroutedUrl, name: uniqueName('Webhook'), subscriptions };
}
