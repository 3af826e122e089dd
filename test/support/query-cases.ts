import type { World } from './activity-cases.ts';
import type { DialectName } from './caller.ts';
import type { Shape } from './shape-of.ts';
import { ethereumPath, signParams } from './world.ts';

const timestamp = { seconds: 'string', nanos: 'string' };
const dates = { createdAt: timestamp, updatedAt: timestamp };
const logLeaf = { leafIndex: 'string', opening: 'string', salt: 'string' };
const wallet = { walletId: 'string', walletName: 'string', ...dates, exported: 'boolean', imported: 'boolean' };
const account = {
  walletAccountId: 'string',
  organizationId: 'string',
  walletId: 'string',
  curve: 'string',
  pathFormat: 'string',
  path: 'string',
  addressFormat: 'string',
  address: 'string',
  ...dates,
  publicKey: 'string',
};
const privateKey = {
  privateKeyId: 'string',
  publicKey: 'string',
  privateKeyName: 'string',
  curve: 'string',
  addresses: [{ format: 'string', address: 'string' }],
  privateKeyTags: [],
  ...dates,
  exported: 'boolean',
  imported: 'boolean',
};
const steps = [{ any: [{ type: 'string' }] }];
const mfaPolicy = {
  mfaPolicyId: 'string',
  mfaPolicyName: 'string',
  condition: 'string',
  requiredAuthenticationMethods: steps,
  order: 'number',
  notes: 'string',
  ...dates,
};
const smartContractInterface = {
  organizationId: 'string',
  smartContractInterfaceId: 'string',
  smartContractAddress: 'string',
  smartContractInterface: 'string',
  type: 'string',
  label: 'string',
  notes: 'string',
  ...dates,
};
const velocityControl = {
  velocityControlId: 'string',
  organizationId: 'string',
  name: 'string',
  dataSource: { chainAssetTransfer: { definition: [{ caip19: 'string', decimals: 'string' }], otherAssets: 'string' } },
  aggregation: {
    method: 'string',
    operator: 'string',
    threshold: 'string',
    window: { rolling: { duration: 'string' } },
    groupBy: { organization: {} },
  },
  ...dates,
  identifier: 'string',
  controlRules: 'number',
  text: 'string',
};
const policy = {
  policyId: 'string',
  policyName: 'string',
  effect: 'string',
  condition: 'string',
  consensus: 'string',
  notes: 'string',
  ...dates,
};
const policyOf = (dialect: DialectName) => (dialect === 'spec' ? policy : { ...policy, time: 'string' });
const decision = { outcome: 'string', by: 'string', policyIds: [], evaluations: [], text: 'string' };
const { text: _, ...bareDecision } = decision;
const decidedBy = { outcome: 'string', deciders: [{ by: 'string' }], text: 'string' };
const explanation = {
  approvers: ['string'],
  changes: ['string'],
  decision: bareDecision,
  policies: [],
  rootQuorum: { approved: 'number', met: 'boolean', threshold: 'number' },
};
const outcomes = { ALLOW: 'number', DENY: 'number', NEEDS_CONSENSUS: 'number' };
const apiKey = {
  credential: { publicKey: 'string', type: 'string' },
  apiKeyId: 'string',
  apiKeyName: 'string',
  ...dates,
};
const voteOf = (dialect: DialectName) => ({
  id: 'string',
  userId: 'string',
  user: {
    userId: 'string',
    userName: 'string',
    authenticators: [],
    apiKeys: [apiKey],
    userTags: [],
    oauthProviders: [],
    ...(dialect === 'turnkey' && { mfaPolicies: [] }),
    ...dates,
  },
  activityId: 'string',
  selection: 'string',
  message: 'string',
  publicKey: 'string',
  signature: 'string',
  scheme: 'string',
  createdAt: timestamp,
});

/** The fields that all activities have. */
export const activityDetails = (dialect: DialectName) => ({
  id: 'string',
  organizationId: 'string',
  status: 'string',
  type: 'string',
  votes: [voteOf(dialect)],
  fingerprint: 'string',
  canApprove: 'boolean',
  canReject: 'boolean',
  ...dates,
  failure: 'null',
});

/** How a query is sent, and the data in its answer. */
export interface QueryCase {
  fields(world: World): object;
  readonly data: Shape | ((dialect: DialectName) => Shape);
}

const signature = { r: 'string', s: 'string', v: 'string' };

const signed = (dialect: DialectName) => ({
  ...activityDetails(dialect),
  authorization: { decided: decidedBy },
  intent:
    dialect === 'spec'
      ? { signRawPayloadIntent: { privateKeyId: 'string', payload: 'string', encoding: 'string', hashFunction: 'string' } }
      : { signRawPayloadIntentV2: { signWith: 'string', payload: 'string', encoding: 'string', hashFunction: 'string' } },
  result: { signRawPayloadResult: signature },
});

const inclusion = { checkpoint: 'string', leaf: logLeaf, hashes: ['string'] };
const newAccount = { curve: 'string', pathFormat: 'string', path: 'string', addressFormat: 'string' };
const walletCreated = (dialect: DialectName) => ({
  ...activityDetails(dialect),
  authorization: { decided: decidedBy },
  intent: { createWalletIntent: { walletName: 'string', accounts: [newAccount] } },
  result: { createWalletResult: { walletId: 'string', addresses: ['string'] } },
});
/** The creation of the first organization, which nobody stamps or decides. */
const organizationCreated = (dialect: DialectName) => ({
  ...activityDetails(dialect),
  votes: [],
  intent: dialect === 'spec' ? { createOrganizationIntent: { organizationName: 'string' } } : {},
  result: dialect === 'spec' ? { createOrganizationResult: { organizationId: 'string' } } : {},
});

/** Queries that need only a `World`. */
export const queryCases: Record<string, QueryCase> = {
  whoami: {
    fields: () => ({}),
    data: { organizationId: 'string', organizationName: 'string', userId: 'string', username: 'string' },
  },
  getOrganizationConfigs: {
    fields: () => ({}),
    data: { configs: { features: [{ name: 'string' }], quorum: { threshold: 'number', userIds: ['string'] } } },
  },
  getSignInKey: { fields: () => ({}), data: { publicKey: 'string' } },
  listSuborgs: { fields: () => ({}), data: { organizationIds: ['string'] } },
  listVerifiedSuborgs: { fields: () => ({}), data: { organizationIds: [] } },
  getActivity: {
    fields: ({ activityId }) => ({ activityId }),
    data: (dialect) => ({ activity: signed(dialect) }),
  },
  listActivities: {
    fields: () => ({ filterByType: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] }),
    data: (dialect) => ({ activities: [signed(dialect)] }),
  },
  getActivityNames: {
    fields: ({ activityId }) => ({ activityId, moreActivityIds: [activityId], compareWith: [activityId] }),
    data: (dialect) => ({
      namedActivityIds: ['string'],
      ...{ contacts: [], similarContacts: [], tokens: [], wallets: [], privateKeys: [], policies: [], approvers: [] },
      accounts: [{ ...account, walletDetails: wallet }],
      proofs: [
        { activity: signed(dialect), ...inclusion },
        { activity: walletCreated(dialect), ...inclusion, content: 'string' },
        { activity: organizationCreated(dialect), ...inclusion, content: 'string' },
      ],
    }),
  },
  searchActivities: {
    fields: () => ({ filterByType: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] }),
    data: (dialect) => ({ activities: [signed(dialect)] }),
  },
  getLogProof: {
    fields: ({ activityId }) => ({ activityId }),
    data: { checkpoint: 'string', leaf: logLeaf, hashes: ['string'] },
  },
  listAuditRecords: {
    fields: () => ({ limit: '1' }),
    data: { records: [{ ...logLeaf, gap: ['string'], content: 'string' }], next: 'string' },
  },
  getActivityCounts: {
    fields: () => ({ interval: 'DAY', since: String(Date.now()) }),
    data: { counts: [{ startMs: 'string', type: 'string', status: 'string', count: 'string' }], isComplete: 'boolean' },
  },
  getActivityDurations: {
    fields: () => ({ interval: 'DAY', since: String(Date.now()) }),
    data: {
      intervals: [{ startMs: 'string', count: 'string', medianMs: 'string', p99Ms: 'string' }],
      overall: { count: 'string', medianMs: 'string', p99Ms: 'string' },
    },
  },
  listLogEntries: {
    fields: () => ({ limit: '1' }),
    data: { checkpoint: 'string', entries: [logLeaf], head: { sequence: 'string', leafHash: 'string' } },
  },
  listEvents: {
    fields: () => ({ filterByType: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] }),
    data: (dialect) => ({
      events: [
        {
          sequence: 'string',
          eventId: 'string',
          activityId: 'string',
          type: 'string',
          status: 'string',
          occurredAt: timestamp,
          activity: signed(dialect),
        },
      ],
      next: 'string',
      isNewest: 'boolean',
    }),
  },
  listWallets: { fields: () => ({}), data: { wallets: [wallet] } },
  getWallet: { fields: ({ walletId }) => ({ walletId }), data: { wallet } },
  listWalletAccounts: {
    fields: ({ walletId }) => ({ walletId, includeWalletDetails: true }),
    data: { accounts: [{ ...account, walletDetails: wallet }] },
  },
  getWalletAccount: {
    fields: ({ walletId }) => ({ walletId, path: ethereumPath(0) }),
    data: { account },
  },
  listPrivateKeys: { fields: () => ({}), data: { privateKeys: [privateKey] } },
  getPrivateKey: { fields: ({ privateKeyId }) => ({ privateKeyId }), data: { privateKey } },
  getPolicy: { fields: ({ policyId }) => ({ policyId }), data: (dialect) => ({ policy: policyOf(dialect) }) },
  getDeniedActivityTypes: { fields: () => ({}), data: { denials: [], denialsAboutOthers: [] } },
  getCallerAddress: { fields: () => ({}), data: { address: 'string' } },
  getActivePolicies: {
    fields: () => ({}),
    data: () => ({ statuses: [{ organizationId: 'string', policyId: 'string', active: 'boolean' }], evaluatedAtMs: 'string' }),
  },
  listPolicies: { fields: () => ({}), data: (dialect) => ({ policies: [policyOf(dialect)] }) },
  getPolicyEvaluations: {
    fields: ({ activityId }) => ({ activityId }),
    data: {
      policyEvaluations: [
        {
          id: 'string',
          activityId: 'string',
          organizationId: 'string',
          voteId: 'string',
          policyEvaluations: [],
          createdAt: timestamp,
          decidedBy,
        },
      ],
    },
  },
  explainActivity: {
    fields: ({ activityId }) => ({ activityId }),
    data: { decisions: [{ voteId: 'string', createdAt: timestamp, ...decision }] },
  },
  simulateActivity: {
    fields: ({ address }) => ({ type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', parameters: signParams(address), explain: true }),
    data: { decision: { ...decision, explanation } },
  },
  backtestPolicies: {
    fields: () => ({ range: { last: 1 } }),
    data: {
      read: 'number',
      judged: 'number',
      before: outcomes,
      after: outcomes,
      groups: [],
      flips: [],
      unknown: [],
      notes: ['string'],
      summary: 'string',
      total: 'number',
    },
  },
  listPastRequests: {
    fields: () => ({ range: { last: 1, types: ['ACTIVITY_TYPE_NO_SUCH'] } }),
    data: { requests: [], states: [], unknown: [], total: 'number' },
  },
  getSmartContractInterface: {
    fields: ({ interfaceId }) => ({ smartContractInterfaceId: interfaceId }),
    data: { smartContractInterface },
  },
  getMfaPolicy: { fields: ({ userId, mfaPolicyId }) => ({ userId, mfaPolicyId }), data: { mfaPolicy } },
  getMfaPolicies: { fields: ({ userId }) => ({ userId }), data: { mfaPolicies: [mfaPolicy] } },
  getMfaStatus: {
    fields: ({ activityId, userId }) => ({ activityId, userId }),
    data: {
      mfaStatuses: [
        { mfaPolicyId: 'string', userId: 'string', satisfied: 'boolean', satisfiedMethods: [], requiredMethods: steps },
      ],
    },
  },
  listPushSubscriptions: {
    fields: () => ({}),
    data: {
      applicationServerKey: 'string',
      pushSubscriptions: [
        {
          pushSubscriptionId: 'string',
          name: 'string',
          service: 'string',
          endpointDigest: 'string',
          createdAt: timestamp,
        },
      ],
    },
  },
  listOauth2Credentials: { fields: () => ({}), data: { oauth2Credentials: [] } },
  // Sending needs a node.
  listSendTransactions: { fields: () => ({}), data: { transactions: [] } },
  listSecrets: { fields: () => ({}), data: { secrets: [] } },
  listContacts: {
    fields: () => ({}),
    data: {
      contacts: [
        {
          contactId: 'string',
          label: 'string',
          address: 'string',
          contactTags: ['string'],
          notes: 'string',
          networks: 'string',
          ...dates,
        },
      ],
    },
  },
  listTokens: {
    fields: () => ({}),
    data: {
      tokens: [{ tokenId: 'string', asset: 'string', symbol: 'string', decimals: 'number', source: 'string' }],
    },
  },
  getVelocityControl: {
    fields: ({ velocityControlId }) => ({ velocityControlId }),
    data: { velocityControl: { ...velocityControl, usage: [] } },
  },
  listVelocityControls: {
    fields: () => ({}),
    data: {
      velocityControls: [velocityControl],
      pageInfo: { hasNextPage: 'boolean', hasPreviousPage: 'boolean', startCursor: 'string', endCursor: 'string' },
    },
  },
  // Nothing is frozen here: a frozen object would stop other cases.
  listFreezes: { fields: () => ({}), data: { freezes: [] } },
  listSmartContractInterfaces: { fields: () => ({}), data: { smartContractInterfaces: [smartContractInterface] } },
  // Nothing is sent here: there is no mail server.
  listEmailEvents: { fields: () => ({ email: 'nobody@example.com' }), data: { emailEvents: [] } },
  getWebhookDeliveries: {
    // The newest endpoint, which has no deliveries.
    fields: () => ({ paginationOptions: { limit: '1' } }),
    data: { deliveries: [{ endpointId: 'string', waitingEvents: 'string' }] },
  },
  listWebhookEndpoints: {
    fields: () => ({}),
    data: {
      webhookEndpoints: [
        {
          endpointId: 'string',
          organizationId: 'string',
          url: 'string',
          name: 'string',
          isActive: 'boolean',
          subscriptions: [{ eventType: 'string', filtersJson: 'string', isActive: 'boolean' }],
        },
      ],
    },
  },
};
