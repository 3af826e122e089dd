import { randomBytes } from 'node:crypto';
import {
  contactParams,
  controlParams,
  endpointParams,
  interfaceParams,
  mfaPolicyParams,
  policyParams,
  pushSubscriptionParams,
  tokenParams,
} from './activity-params.ts';
import { newApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';
import type { Shape } from './shape-of.ts';
import {
  apiKeyParams,
  createMember,
  createPrivateKey,
  createWallet,
  ethereumAccount,
  privateKeyParams,
  signParams,
  subOrganizationParams,
  uniqueName,
  userParams,
} from './world.ts';

/** The objects that sample requests refer to. */
export interface World {
  readonly root: Caller;
  readonly rootUserId: string;
  readonly userId: string;
  readonly apiKeyId: string;
  readonly walletId: string;
  readonly address: string;
  readonly privateKeyId: string;
  readonly spareKeyId: string;
  readonly activityId: string;
  readonly interfaceId: string;
  readonly spareInterfaceId: string;
  readonly policyId: string;
  readonly sparePolicyId: string;
  readonly endpointId: string;
  readonly spareEndpointId: string;
  readonly mfaPolicyId: string;
  readonly contactId: string;
  readonly spareContactId: string;
  readonly spareTokenId: string;
  readonly velocityControlId: string;
  readonly spareVelocityControlId: string;
}

/** Creates one object of each kind in the caller's organization. */
export async function buildWorld(root: Caller): Promise<World> {
  const { userId } = await createMember(root);
  const { apiKeyIds } = await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
  const { walletId, addresses } = await createWallet(root);
  const signed = await root.submit('signRawPayload', signParams(addresses[0] as string));
  const interfaces = [1, 2].map(() => root.result('createSmartContractInterface', interfaceParams()));
  const [kept, spare] = await Promise.all(interfaces);
  const { policyIds } = await root.result('createPolicies', { policies: [policyParams(userId), policyParams(userId)] });
  const [endpoint, spareEndpoint] = [
    await root.result('createWebhookEndpoint', endpointParams()),
    await root.result('createWebhookEndpoint', endpointParams()),
  ];
  const { contactIds } = await root.result('createContacts', { contacts: [contactParams(), contactParams()] });
  await root.result('createPushSubscription', pushSubscriptionParams());
  const { tokenIds } = await root.result('createTokens', { tokens: [tokenParams(), tokenParams()] });
  const controls = [
    await root.result('createVelocityControl', controlParams()),
    await root.result('createVelocityControl', controlParams()),
  ];
  return {
    root,
    velocityControlId: controls[0].velocityControlId,
    spareVelocityControlId: controls[1].velocityControlId,
    contactId: contactIds[0],
    spareContactId: contactIds[1],
    spareTokenId: tokenIds[1],
    rootUserId: (await root.data('whoami')).userId,
    userId,
    apiKeyId: apiKeyIds[0],
    walletId,
    address: addresses[0] as string,
    privateKeyId: await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']),
    spareKeyId: await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']),
    activityId: signed.body.activity.id,
    interfaceId: kept.smartContractInterfaceId,
    spareInterfaceId: spare.smartContractInterfaceId,
    policyId: policyIds[0],
    sparePolicyId: policyIds[1],
    endpointId: endpoint.endpointId,
    spareEndpointId: spareEndpoint.endpointId,
    mfaPolicyId: (await root.result('createMfaPolicy', mfaPolicyParams(userId))).mfaPolicyId,
  };
}

/** EIP-1559: 1 wei to 0x1111…, nonce 0, on Ethereum. */
const unsignedTransaction = `02e70180843b9aca00847735940082520894${'11'.repeat(20)}0180c0`;

/** How an activity is called, and its answer, in its current version. */
export interface ActivityCase {
  /** New parameters for every call. */
  params(world: World): object;
  /** The intent as the specification shows it, if it differs from the parameters. */
  readonly intent?: Shape;
  readonly result: Shape;
  /** The keys in the compatible dialect. */
  readonly intentKey: string;
  readonly resultKey: string;
  /** Additional fields that the activity shows, apart from intent and result. */
  readonly details?: Readonly<Record<string, Shape>>;
}

const signature = { r: 'string', s: 'string', v: 'string' };
const webhookEndpoint = {
  endpointId: 'string',
  organizationId: 'string',
  url: 'string',
  name: 'string',
  isActive: 'boolean',
  subscriptions: [{ eventType: 'string', filtersJson: 'string', isActive: 'boolean' }],
};

const asset = { id: 'string', kind: 'string', symbol: 'string', decimals: 'number' };
const coinEffect = (more: object) => ({ kind: 'string', asset, amount: 'string', units: 'string', from: 'string', ...more });

/** Activities in their current version. */
export const activityCases: Record<string, ActivityCase> = {
  createSubOrganization: {
    params: () =>
      subOrganizationParams(newApiKey(), { wallet: { walletName: uniqueName('Wallet'), accounts: [ethereumAccount(0)] } }),
    result: { subOrganizationId: 'string', wallet: { walletId: 'string', addresses: ['string'] }, rootUserIds: ['string'] },
    intentKey: 'createSubOrganizationIntentV7',
    resultKey: 'createSubOrganizationResultV7',
  },
  createUsers: {
    params: () => ({
      users: [{ ...userParams(newApiKey()), userEmail: 'someone@example.com', userPhoneNumber: '+15555550100' }],
    }),
    intent: {
      users: [
        {
          userName: 'string',
          userEmail: 'string',
          accessType: 'string',
          apiKeys: [{ apiKeyName: 'string', publicKey: 'string', expirationSeconds: 'string' }],
          authenticators: [],
          userTags: [],
        },
      ],
    },
    result: { userIds: ['string'] },
    intentKey: 'createUsersIntentV3',
    resultKey: 'createUsersResult',
  },
  createApiKeys: {
    params: ({ userId }) => ({ userId, apiKeys: [apiKeyParams(newApiKey(), { expirationSeconds: '3600' })] }),
    result: { apiKeyIds: ['string'] },
    intentKey: 'createApiKeysIntentV2',
    resultKey: 'createApiKeysResult',
  },
  deleteApiKeys: {
    params: ({ userId, apiKeyId }) => ({ userId, apiKeyIds: [apiKeyId] }),
    result: { apiKeyIds: ['string'] },
    intentKey: 'deleteApiKeysIntent',
    resultKey: 'deleteApiKeysResult',
  },
  createWallet: {
    params: () => ({ walletName: uniqueName('Wallet'), accounts: [ethereumAccount(0)], mnemonicLength: 24 }),
    result: { walletId: 'string', addresses: ['string'] },
    intentKey: 'createWalletIntent',
    resultKey: 'createWalletResult',
  },
  createWalletAccounts: {
    params: ({ walletId }) => ({ walletId, accounts: [ethereumAccount(7)] }),
    result: { addresses: ['string'] },
    intentKey: 'createWalletAccountsIntent',
    resultKey: 'createWalletAccountsResult',
  },
  createPrivateKeys: {
    params: () => ({ privateKeys: [privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM'])] }),
    result: { privateKeys: [{ privateKeyId: 'string', addresses: [{ format: 'string', address: 'string' }] }] },
    intentKey: 'createPrivateKeysIntentV2',
    resultKey: 'createPrivateKeysResultV2',
  },
  deletePrivateKeys: {
    params: ({ spareKeyId }) => ({ privateKeyIds: [spareKeyId], deleteWithoutExport: true }),
    result: { privateKeyIds: ['string'] },
    intentKey: 'deletePrivateKeysIntent',
    resultKey: 'deletePrivateKeysResult',
  },
  signRawPayload: {
    params: ({ address }) => signParams(address),
    intent: { privateKeyId: 'string', payload: 'string', encoding: 'string', hashFunction: 'string' },
    result: signature,
    intentKey: 'signRawPayloadIntentV2',
    resultKey: 'signRawPayloadResult',
  },
  signRawPayloads: {
    params({ privateKeyId }) {
      const { payload, ...rest } = signParams(privateKeyId);
      return { ...rest, payloads: [payload, `${payload} again`] };
    },
    intent: { signWith: 'string', payloads: ['string'], encoding: 'string', hashFunction: 'string' },
    result: { signatures: [signature] },
    intentKey: 'signRawPayloadsIntent',
    resultKey: 'signRawPayloadsResult',
  },
  signTransaction: {
    params: ({ address }) => ({ signWith: address, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }),
    intent: { privateKeyId: 'string', unsignedTransaction: 'string', type: 'string' },
    result: { signedTransaction: 'string' },
    intentKey: 'signTransactionIntentV2',
    resultKey: 'signTransactionResult',
    details: {
      parsed: {
        description: 'string',
        fullyParsed: 'boolean',
        unparsed: [],
        effects: [coinEffect({ to: 'string' }), coinEffect({})],
      },
    },
  },
  createPolicy: {
    params: ({ userId }) => policyParams(userId),
    intent: {
      policyName: 'string',
      selectors: [{ subject: 'string', operator: 'string', target: 'string' }],
      effect: 'string',
      condition: 'string',
      consensus: 'string',
      notes: 'string',
    },
    result: { policyId: 'string' },
    intentKey: 'createPolicyIntentV3',
    resultKey: 'createPolicyResult',
    details: { warnings: ['string'] },
  },
  createPolicies: {
    params: ({ userId }) => ({ policies: [policyParams(userId)] }),
    result: { policyIds: ['string'] },
    intentKey: 'createPoliciesIntent',
    resultKey: 'createPoliciesResult',
    details: { warnings: ['string'] },
  },
  updatePolicy: {
    params: ({ policyId }) => ({ policyId, policyNotes: uniqueName('Note') }),
    result: { policyId: 'string' },
    intentKey: 'updatePolicyIntentV2',
    resultKey: 'updatePolicyResultV2',
    details: { warnings: ['string'] },
  },
  deletePolicy: {
    params: ({ sparePolicyId }) => ({ policyId: sparePolicyId }),
    result: { policyId: 'string' },
    intentKey: 'deletePolicyIntent',
    resultKey: 'deletePolicyResult',
    details: { warnings: ['string'] },
  },
  updateRootQuorum: {
    params: ({ rootUserId }) => ({ threshold: 1, userIds: [rootUserId] }),
    result: {},
    intentKey: 'updateRootQuorumIntent',
    resultKey: 'updateRootQuorumResult',
  },
  createSmartContractInterface: {
    params: interfaceParams,
    result: { smartContractInterfaceId: 'string' },
    intentKey: 'createSmartContractInterfaceIntent',
    resultKey: 'createSmartContractInterfaceResult',
  },
  deleteSmartContractInterface: {
    params: ({ spareInterfaceId }) => ({ smartContractInterfaceId: spareInterfaceId }),
    result: { smartContractInterfaceId: 'string' },
    intentKey: 'deleteSmartContractInterfaceIntent',
    resultKey: 'deleteSmartContractInterfaceResult',
  },
  createContacts: {
    params: () => ({ contacts: [contactParams()] }),
    result: { contactIds: ['string'] },
    intentKey: 'createContactsIntent',
    resultKey: 'createContactsResult',
  },
  updateContact: {
    params: ({ contactId }) => ({ contactId, label: uniqueName('Vendor'), contactTags: ['payroll'], notes: 'none' }),
    result: { contactId: 'string' },
    intentKey: 'updateContactIntent',
    resultKey: 'updateContactResult',
  },
  deleteContacts: {
    params: ({ spareContactId }) => ({ contactIds: [spareContactId] }),
    result: { contactIds: ['string'] },
    intentKey: 'deleteContactsIntent',
    resultKey: 'deleteContactsResult',
  },
  createTokens: {
    params: () => ({ tokens: [tokenParams()] }),
    result: { tokenIds: ['string'] },
    intentKey: 'createTokensIntent',
    resultKey: 'createTokensResult',
  },
  deleteTokens: {
    params: ({ spareTokenId }) => ({ tokenIds: [spareTokenId] }),
    result: { tokenIds: ['string'] },
    intentKey: 'deleteTokensIntent',
    resultKey: 'deleteTokensResult',
  },
  createVelocityControl: {
    params: controlParams,
    intent: {
      name: 'string',
      identifier: 'string',
      dataSource: { chainAssetTransfer: { definition: [{ caip19: 'string', decimals: 'string' }], otherAssets: 'string' } },
      aggregation: {
        method: 'string',
        operator: 'string',
        threshold: 'string',
        window: { rolling: { duration: 'string' } },
        groupBy: { organization: {} },
      },
    },
    result: { velocityControlId: 'string' },
    intentKey: 'createVelocityControlIntent',
    resultKey: 'createVelocityControlResult',
    details: { warnings: ['string'] },
  },
  updateVelocityControl: {
    params: ({ spareVelocityControlId: velocityControlId }) => ({
      velocityControlId,
      name: uniqueName('Weekly USDC'),
      identifier: `weekly_${randomBytes(6).toString('hex')}`,
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN',
      newThreshold: '250000.5',
      window: { calendar: { unit: 'VELOCITY_CONTROL_CALENDAR_UNIT_WEEK', timeZone: 'Europe/Zurich' } },
    }),
    result: { velocityControlId: 'string' },
    intentKey: 'updateVelocityControlIntent',
    resultKey: 'updateVelocityControlResult',
    details: { warnings: ['string'] },
  },
  resetVelocityControl: {
    params: ({ spareVelocityControlId: velocityControlId }) => ({ velocityControlId }),
    result: { velocityControlId: 'string' },
    intentKey: 'resetVelocityControlIntent',
    resultKey: 'resetVelocityControlResult',
    details: { warnings: ['string'] },
  },
  raiseVelocityControl: {
    params: ({ spareVelocityControlId: velocityControlId }) => ({
      velocityControlId,
      newThreshold: '500000',
      until: String(Date.now() + 3_600_000),
    }),
    result: { velocityControlId: 'string' },
    intentKey: 'raiseVelocityControlIntent',
    resultKey: 'raiseVelocityControlResult',
    details: { warnings: ['string'] },
  },
  deleteVelocityControl: {
    params: ({ spareVelocityControlId }) => ({ velocityControlId: spareVelocityControlId }),
    result: { velocityControlId: 'string' },
    intentKey: 'deleteVelocityControlIntent',
    resultKey: 'deleteVelocityControlResult',
    details: { warnings: ['string'] },
  },
  freeze: {
    params: ({ userId, walletId, privateKeyId }) => ({
      userIds: [userId],
      walletIds: [walletId],
      privateKeyIds: [privateKeyId],
      reason: 'The laptop was stolen',
    }),
    result: { frozenIds: ['string'], alreadyFrozenIds: [] },
    intentKey: 'freezeIntent',
    resultKey: 'freezeResult',
  },
  unfreeze: {
    params: ({ userId, walletId, privateKeyId }) => ({
      userIds: [userId],
      walletIds: [walletId],
      privateKeyIds: [privateKeyId],
    }),
    result: { unfrozenIds: ['string'], notFrozenIds: [] },
    intentKey: 'unfreezeIntent',
    resultKey: 'unfreezeResult',
  },
  createWebhookEndpoint: {
    params: endpointParams,
    result: { endpointId: 'string', webhookEndpoint },
    intentKey: 'createWebhookEndpointIntent',
    resultKey: 'createWebhookEndpointResult',
  },
  updateWebhookEndpoint: {
    params: ({ endpointId }) => ({ endpointId, name: uniqueName('Webhook'), isActive: true }),
    result: { endpointId: 'string', webhookEndpoint },
    intentKey: 'updateWebhookEndpointIntent',
    resultKey: 'updateWebhookEndpointResult',
  },
  testWebhookEndpoint: {
    params: ({ endpointId }) => ({ endpointId }),
    result: { endpointId: 'string' },
    intentKey: 'testWebhookEndpointIntent',
    resultKey: 'testWebhookEndpointResult',
  },
  deleteWebhookEndpoint: {
    params: ({ spareEndpointId }) => ({ endpointId: spareEndpointId }),
    result: { endpointId: 'string' },
    intentKey: 'deleteWebhookEndpointIntent',
    resultKey: 'deleteWebhookEndpointResult',
  },
};
