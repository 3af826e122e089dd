import { type Activities, type Queries, type QueryDefinition, queries } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mailSettings, newAddress } from '../sign-in/mail-support.ts';
import { boundToken } from '../sign-in/otp-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { contactParams, controlParams, endpointParams, interfaceParams, tokenParams } from '../support/activity-cases.ts';
import { newApiKey } from '../support/api-key.ts';
import type { Caller, DialectName, Json } from '../support/caller.ts';
import { describeEngines } from '../support/describe-engines.ts';
import {
  createPrivateKey,
  createSubOrganization,
  createWallet,
  ethereumAccount,
  signParams,
  uniqueName,
  userParams,
} from '../support/world.ts';

const COUNT = 250;
/** The most that an operator can allow. */
const MOST_ENDPOINTS = 100;

const inbox = await startInbox();
afterAll(() => inbox.stop());

/** A list of 250 items or more, and how to tell them apart. */
interface PagedList {
  readonly query: keyof Queries;
  /** How many items there are, where that is not `COUNT`. */
  readonly count?: number;
  /** Makes the items and gives what the list is asked with. */
  fill(caller: Caller): Promise<object>;
  idsOf(data: Json): string[];
}

const times = async (count: number, make: () => Promise<unknown>) => {
  for (let done = 0; done < count; done += 10) await Promise.all(Array.from({ length: 10 }, make));
};

const accountIds = (data: Json): string[] => data.accounts.map((account: Json) => account.walletAccountId);
const activityIds = (data: Json): string[] => data.activities.map((activity: Json) => activity.id);

async function fillWallet(caller: Caller): Promise<string> {
  const { walletId } = await createWallet(caller, 100);
  for (const first of [100, 175]) {
    const accounts = Array.from({ length: 75 }, (_, index) => ethereumAccount(first + index));
    await caller.result('createWalletAccounts', { walletId, accounts });
  }
  return walletId;
}

const lists: Readonly<Record<string, PagedList>> = {
  list_activities: {
    query: 'listActivities',
    async fill(caller) {
      const { addresses } = await createWallet(caller);
      await times(COUNT, () => caller.result('signRawPayload', signParams(addresses[0] as string)));
      return {};
    },
    idsOf: activityIds,
  },
  'list_activities with a filter': {
    query: 'listActivities',
    async fill(caller) {
      const { addresses } = await createWallet(caller);
      await times(COUNT, () => caller.result('signRawPayload', signParams(addresses[0] as string)));
      const filterByType = ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_TYPE_CREATE_WALLET'];
      return { filterByType, filterByStatus: ['ACTIVITY_STATUS_COMPLETED'] };
    },
    idsOf: activityIds,
  },
  list_suborgs: {
    query: 'listSuborgs',
    async fill(caller) {
      await times(COUNT, () => createSubOrganization(caller));
      return {};
    },
    idsOf: (data) => data.organizationIds,
  },
  list_verified_suborgs: {
    query: 'listVerifiedSuborgs',
    async fill(caller) {
      const userEmail = newAddress();
      const verificationToken = await boundToken(caller, inbox, userEmail, newApiKey());
      await times(COUNT, async () => {
        const { caller: own, userId } = await createSubOrganization(caller);
        await own.result('updateUserEmail', { userId, userEmail, verificationToken });
      });
      return { filterType: 'EMAIL', filterValue: userEmail };
    },
    idsOf: (data) => data.organizationIds,
  },
  list_wallet_accounts: {
    query: 'listWalletAccounts',
    async fill(caller) {
      await fillWallet(caller);
      return {};
    },
    idsOf: accountIds,
  },
  'list_wallet_accounts of one wallet': {
    query: 'listWalletAccounts',
    async fill(caller) {
      const walletId = await fillWallet(caller);
      await createWallet(caller, 3);
      return { walletId };
    },
    idsOf: accountIds,
  },
  list_users: made('listUsers', 'users', 'userId', 'createUsers', () => ({ users: [userParams()] })),
  list_policies: made('listPolicies', 'policies', 'policyId', 'createPolicy', policyParams),
  list_smart_contract_interfaces: made(
    'listSmartContractInterfaces',
    'smartContractInterfaces',
    'smartContractInterfaceId',
    'createSmartContractInterface',
    interfaceParams,
  ),
  list_velocity_controls: made(
    'listVelocityControls',
    'velocityControls',
    'velocityControlId',
    'createVelocityControl',
    controlParams,
  ),
  list_contacts: made('listContacts', 'contacts', 'contactId', 'createContacts', () => ({ contacts: [contactParams()] })),
  list_tokens: made('listTokens', 'tokens', 'tokenId', 'createTokens', () => ({ tokens: [tokenParams()] })),
  get_session_profiles: made('getSessionProfiles', 'sessionProfiles', 'sessionProfileId', 'createSessionProfile', () => ({
    sessionProfileName: uniqueName('Profile'),
    scope: "activity.action == 'SIGN'",
  })),
  get_active_policies: made('getActivePolicies', 'statuses', 'policyId', 'createPolicy', policyParams),
  list_webhook_endpoints: {
    ...made('listWebhookEndpoints', 'webhookEndpoints', 'endpointId', 'createWebhookEndpoint', endpointParams, MOST_ENDPOINTS),
    count: MOST_ENDPOINTS,
  },
  list_user_tags: made('listUserTags', 'userTags', 'tagId', 'createUserTag', () => ({
    userTagName: uniqueName('Tag'),
    userIds: [],
  })),
  list_private_key_tags: made('listPrivateKeyTags', 'privateKeyTags', 'tagId', 'createPrivateKeyTag', () => ({
    privateKeyTagName: uniqueName('Tag'),
    privateKeyIds: [],
  })),
  list_wallets: made('listWallets', 'wallets', 'walletId', 'createWallet', () => ({
    walletName: uniqueName('Wallet'),
    accounts: [],
  })),
  list_private_keys: {
    query: 'listPrivateKeys',
    async fill(caller) {
      await times(COUNT, () => createPrivateKey(caller));
      return {};
    },
    idsOf: (data) => data.privateKeys.map(({ privateKeyId }: Json) => privateKeyId),
  },
};

function policyParams() {
  return {
    policyName: uniqueName('Policy'),
    effect: 'EFFECT_ALLOW',
    condition: "activity.action == 'SIGN'",
    consensus: `approvers.any(user, user.alias == '${uniqueName('nobody')}')`,
    notes: '',
  };
}

/** A list of items that one activity makes, one at a time. */
function made(
  query: keyof Queries,
  key: string,
  idKey: string,
  activity: keyof Activities,
  params: () => object,
  count = COUNT,
): PagedList {
  return {
    query,
    async fill(caller) {
      await times(count, () => caller.result(activity, params()));
      return {};
    },
    idsOf: (data) => data[key].map((item: Json) => item[idKey]),
  };
}

const isPaged = ([, { input }]: [string, QueryDefinition]) => input instanceof z.ZodObject && 'paginationOptions' in input.shape;

test('every list that takes cursors is walked', () => {
  const paged = Object.entries<QueryDefinition>(queries).filter(isPaged);
  expect(new Set(Object.values(lists).map(({ query }) => query))).toEqual(new Set(paged.map(([name]) => name)));
});

describeEngines(
  'cursors',
  (subject) => {
    describe.each(Object.entries(lists))('of %s', (_name, { query, fill, idsOf, count = COUNT }) => {
      let caller: Caller;
      let fields: object;
      let all: string[];

      const list = async (dialect: DialectName, paginationOptions: object) =>
        idsOf(await caller.with({ dialect }).data(query, { ...fields, paginationOptions }));

      beforeAll(async () => {
        // Only a top-level organization has sub-organizations and session profiles. The other lists get an organization of their own.
        const { root } = subject().service;
        caller = query.endsWith('Suborgs') || query === 'getSessionProfiles' ? root : (await createSubOrganization(root)).caller;
        fields = await fill(caller);
        all = [];
        for (let page = await list('spec', { limit: '100' }); page.length > 0; ) {
          all.push(...page);
          page = await list('spec', { limit: '100', after: all.at(-1) });
        }
      }, 120_000);

      test('there are enough items, each once, newest first', () => {
        expect(all.length).toBeGreaterThanOrEqual(count);
        expect(all).toEqual([...new Set(all)].sort().reverse());
      });

      test.each([
        ['spec', 7],
        ['spec', 100],
        ['turnkey', 7],
        ['turnkey', 100],
      ] as const)('on the %s path, pages of %i follow each other in both directions', async (dialect, size) => {
        const limit = String(size);
        const forth: string[][] = [await list(dialect, { limit })];
        for (let last = forth.at(-1); last?.length === size; last = forth.at(-1))
          forth.push(await list(dialect, { limit, after: last.at(-1) }));
        expect(forth.flat()).toEqual(all);

        const back: string[][] = [await list(dialect, { limit, before: all.at(-1) })];
        for (let last = back.at(0); last?.length === size; last = back.at(0))
          back.unshift(await list(dialect, { limit, before: last.at(0) }));
        expect(back.flat()).toEqual(all.slice(0, -1));
      });

      test('with both cursors a page lies between them, next to the one it comes after', async () => {
        const [after, before] = [all[10], all[20]];
        expect(await list('spec', { limit: '100', after, before })).toEqual(all.slice(11, 20));
        expect(await list('turnkey', { limit: '4', after, before })).toEqual(all.slice(11, 15));
        expect(await list('spec', { limit: '4', after: before, before: after })).toEqual([]);
      });

      test('D58: a cursor that names nothing is a place between its neighbours', async () => {
        // The id of an item whose last digit differs lies right beside it.
        const item = all[30] as string;
        const above = `${item.slice(0, -1)}g`;
        expect(await list('spec', { limit: '3', after: above })).toEqual(all.slice(30, 33));
        expect(await list('spec', { limit: '3', before: above })).toEqual(all.slice(27, 30));
        expect(await list('spec', { limit: '3', after: '0' })).toEqual([]);
        expect(await list('spec', { limit: '3', after: 'g' })).toEqual(all.slice(0, 3));
        expect(await list('spec', { limit: '3', before: 'g' })).toEqual([]);
        expect(await list('spec', { limit: '3', before: '0' })).toEqual(all.slice(-3));
      });
    });
  },
  {
    config: {
      ...mailSettings(inbox),
      maxUsers: 1000,
      maxPolicies: 1000,
      maxWallets: 1000,
      maxVelocityControls: 1000,
      maxSmartContractInterfaces: 1000,
      maxTags: 1000,
      maxSessionProfiles: 1000,
      maxWebhookEndpoints: MOST_ENDPOINTS,
    },
  },
);
