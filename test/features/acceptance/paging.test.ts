import { randomUUID } from 'node:crypto';
import { type Activities, type Queries, type QueryDefinition, queries } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { contactParams, controlParams, endpointParams, interfaceParams, tokenParams } from '../../support/activity-params.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, DialectName, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import { createTronLedger } from '../../support/tron-ledger.ts';
import {
  createSubOrganization,
  createWallet,
  ethereumAccount,
  privateKeyParams,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { importSecrets } from '../secrets/secret-support.ts';
import { fundedTron, payTrx, serveTron, transferTrx, tronConfig } from '../sending/tron-support.ts';
import { createReachable, mailSettings, newAddress, until } from '../sign-in/mail-support.ts';
import { credentialParams, listed, REAL } from '../sign-in/oauth2-support.ts';
import { boundToken } from '../sign-in/otp-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

/** More than the largest page holds. */
const COUNT = 105;
/** The most that an operator can allow. */
const MOST_ENDPOINTS = 100;
/** The default limit of an organization. */
const MOST_SECRETS = 100;
/** An operator chose this limit. */
const MOST_OAUTH2_CREDENTIALS = 100;

const inbox = await startInbox();
const ledger = createTronLedger();
const tron = await serveTron(ledger);
afterAll(async () => {
  await inbox.stop();
  await tron.close();
});

/** Makes the items of lists, and gives what such a list is asked with. */
type Fill = (caller: Caller) => Promise<object>;

/** A list of so many items or more, and how to tell them apart. */
interface PagedList {
  readonly query: keyof Queries;
  /** How many items there are, where that is not `COUNT`. */
  readonly count?: number;
  /** Lists that are filled by the same function are of the same organization. */
  readonly fill: Fill;
  /** What the list is asked with, where that is not what `fill` gives. */
  readonly fields?: object;
  idsOf(data: Json): string[];
}

const AT_ONCE = 15;
const times = async (count: number, make: () => Promise<unknown>) => {
  for (let done = 0; done < count; done += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, make));
};

const accountIds = (data: Json): string[] => data.accounts.map((account: Json) => account.walletAccountId);
const sendIds = (data: Json): string[] => data.transactions.map((sent: Json) => sent.sendTransactionStatusId);
const activityIds = (data: Json): string[] => data.activities.map((activity: Json) => activity.id);

async function fillActivities(caller: Caller): Promise<object> {
  const { addresses } = await createWallet(caller);
  await times(COUNT, () => caller.result('signRawPayload', signParams(addresses[0] as string)));
  return {};
}

async function fillSubOrganizations(caller: Caller): Promise<object> {
  const userEmail = newAddress();
  const verificationToken = await boundToken(caller, inbox, userEmail, newApiKey());
  await times(COUNT, async () => {
    const { caller: own, userId } = await createSubOrganization(caller);
    await own.result('updateUserEmail', { userId, userEmail, verificationToken });
  });
  return { filterType: 'EMAIL', filterValue: userEmail };
}

/** Few from each account, one after the other: an account has limits of its own. */
async function fillSends(caller: Caller): Promise<object> {
  const each = 7;
  await times(COUNT / each, async () => {
    const from = await fundedTron(caller, ledger);
    for (let sun = 1; sun <= each; sun++) await payTrx(caller, ledger, from, transferTrx(from, BigInt(sun)));
  });
  return {};
}

async function fillWallet(caller: Caller): Promise<object> {
  const { walletId } = await createWallet(caller, 100);
  const accounts = Array.from({ length: COUNT - 100 }, (_, index) => ethereumAccount(100 + index));
  await caller.result('createWalletAccounts', { walletId, accounts });
  await createWallet(caller, 3);
  return { walletId };
}

const fillPolicies = fillTogether('createPolicies', 'policies', policyParams);

const lists: Readonly<Record<string, PagedList>> = {
  list_activities: {
    query: 'listActivities',
    fill: fillActivities,
    idsOf: activityIds,
  },
  'list_activities with a filter': {
    query: 'listActivities',
    fill: fillActivities,
    fields: {
      filterByType: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_TYPE_CREATE_WALLET'],
      filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
    },
    idsOf: activityIds,
  },
  list_send_transactions: {
    query: 'listSendTransactions',
    fill: fillSends,
    idsOf: sendIds,
  },
  'list_send_transactions with filters': {
    query: 'listSendTransactions',
    fill: fillSends,
    fields: { caip2: ledger.chain },
    idsOf: sendIds,
  },
  list_suborgs: {
    query: 'listSuborgs',
    fill: fillSubOrganizations,
    fields: {},
    idsOf: (data) => data.organizationIds,
  },
  list_verified_suborgs: {
    query: 'listVerifiedSuborgs',
    fill: fillSubOrganizations,
    idsOf: (data) => data.organizationIds,
  },
  list_wallet_accounts: {
    query: 'listWalletAccounts',
    fill: fillWallet,
    fields: {},
    idsOf: accountIds,
  },
  'list_wallet_accounts of one wallet': {
    query: 'listWalletAccounts',
    fill: fillWallet,
    idsOf: accountIds,
  },
  list_users: made(
    'listUsers',
    'users',
    'userId',
    fillTogether('createUsers', 'users', () => userParams()),
  ),
  list_policies: made('listPolicies', 'policies', 'policyId', fillPolicies),
  list_smart_contract_interfaces: made(
    'listSmartContractInterfaces',
    'smartContractInterfaces',
    'smartContractInterfaceId',
    fillSingly('createSmartContractInterface', interfaceParams),
  ),
  list_velocity_controls: made(
    'listVelocityControls',
    'velocityControls',
    'velocityControlId',
    fillSingly('createVelocityControl', controlParams),
  ),
  list_contacts: made('listContacts', 'contacts', 'contactId', fillTogether('createContacts', 'contacts', contactParams)),
  list_tokens: made('listTokens', 'tokens', 'tokenId', fillTogether('createTokens', 'tokens', tokenParams)),
  get_session_profiles: made(
    'getSessionProfiles',
    'sessionProfiles',
    'sessionProfileId',
    fillSingly('createSessionProfile', () => ({
      sessionProfileName: uniqueName('Profile'),
      scope: "activity.action == 'SIGN'",
    })),
  ),
  get_active_policies: made('getActivePolicies', 'statuses', 'policyId', fillPolicies),
  list_webhook_endpoints: {
    query: 'listWebhookEndpoints',
    count: MOST_ENDPOINTS,
    fill: fillSingly('createWebhookEndpoint', endpointParams, MOST_ENDPOINTS),
    idsOf: (data) => data.webhookEndpoints.map(({ endpointId }: Json) => endpointId),
  },
  get_webhook_deliveries: {
    query: 'getWebhookDeliveries',
    count: MOST_ENDPOINTS,
    fill: fillSingly('createWebhookEndpoint', endpointParams, MOST_ENDPOINTS),
    idsOf: (data) => data.deliveries.map(({ endpointId }: Json) => endpointId),
  },
  list_email_events: {
    query: 'listEmailEvents',
    fill: fillEmailEvents,
    idsOf: (data) => data.emailEvents.map(({ id }: Json) => id),
  },
  list_oauth2_credentials: {
    ...made('listOauth2Credentials', 'oauth2Credentials', 'oauth2CredentialId', fillOauth2Credentials),
    count: MOST_OAUTH2_CREDENTIALS,
  },
  list_secrets: { ...made('listSecrets', 'secrets', 'secretId', fillSecrets), count: MOST_SECRETS },
  list_user_tags: made(
    'listUserTags',
    'userTags',
    'tagId',
    fillSingly('createUserTag', () => ({ userTagName: uniqueName('Tag'), userIds: [] })),
  ),
  list_private_key_tags: made(
    'listPrivateKeyTags',
    'privateKeyTags',
    'tagId',
    fillSingly('createPrivateKeyTag', () => ({ privateKeyTagName: uniqueName('Tag'), privateKeyIds: [] })),
  ),
  list_wallets: made(
    'listWallets',
    'wallets',
    'walletId',
    fillSingly('createWallet', () => ({ walletName: uniqueName('Wallet'), accounts: [] })),
  ),
  list_private_keys: made(
    'listPrivateKeys',
    'privateKeys',
    'privateKeyId',
    fillTogether('createPrivateKeys', 'privateKeys', () => privateKeyParams('CURVE_SECP256K1')),
  ),
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

function made(query: keyof Queries, key: string, idKey: string, fill: Fill): PagedList {
  return { query, fill, idsOf: (data) => data[key].map((item: Json) => item[idKey]) };
}

/** Emails to one address. Events are stored a moment after the mail server has the email. */
async function fillEmailEvents(caller: Caller): Promise<object> {
  const { email } = await createReachable(caller);
  await times(COUNT, () => caller.result('emailAuth', { email, targetPublicKey: newTarget().hex }));
  await inbox.to(email, COUNT);
  const find = async (page: object) => (await caller.data('listEmailEvents', { email, paginationOptions: page })).emailEvents;
  await until('all emails have an event', async () => {
    const first = await find({ limit: '100' });
    return first.length === 100 && (await find({ limit: '100', after: first.at(-1).id })).length >= COUNT - 100;
  });
  return { email };
}

async function fillOauth2Credentials(caller: Caller): Promise<object> {
  await times(MOST_OAUTH2_CREDENTIALS, async () =>
    caller.result(
      'createOauth2Credential',
      await credentialParams(caller, REAL, { clientId: randomUUID(), clientSecret: 'secret' }),
    ),
  );
  return {};
}

async function fillSecrets(caller: Caller): Promise<object> {
  const contents = Array.from({ length: MOST_SECRETS / 10 }, (_, index) => `Secret ${index}`);
  // One after the other: few targets of a user are open at a time.
  for (let done = 0; done < 10; done++) await importSecrets(caller, contents);
  return {};
}

/** Makes items with an activity that makes one. */
function fillSingly(activity: keyof Activities, params: () => object, count = COUNT): Fill {
  return async (caller) => {
    await times(count, () => caller.result(activity, params()));
    return {};
  };
}

/** Makes items with an activity that makes many, in three goes. */
function fillTogether(activity: keyof Activities, key: string, item: () => object): Fill {
  const items = () => Array.from({ length: COUNT / 3 }, item);
  return async (caller) => {
    await times(3, () => caller.result(activity, { [key]: items() }));
    return {};
  };
}

const isPaged = ([, { input }]: [string, QueryDefinition]) => input instanceof z.ZodObject && 'paginationOptions' in input.shape;

test('every list with cursors is covered', () => {
  const paged = Object.entries<QueryDefinition>(queries).filter(isPaged);
  expect(new Set(Object.values(lists).map(({ query }) => query))).toEqual(new Set(paged.map(([name]) => name)));
});

describeEngines(
  'cursors',
  (subject) => {
    const filled = new Map<Fill, Promise<{ caller: Caller; found: object }>>();
    const fillOnce = (query: keyof Queries, fill: Fill) => {
      const known = filled.get(fill) ?? fillNew(query, fill);
      filled.set(fill, known);
      return known;
    };
    async function fillNew(query: keyof Queries, fill: Fill) {
      // Only a top-level organization has sub-organizations and session profiles. The other lists get an organization of their own.
      const { root } = subject().service;
      const isTop = query.endsWith('Suborgs') || query === 'getSessionProfiles';
      const caller = isTop ? root : (await createSubOrganization(root)).caller;
      return { caller, found: await fill(caller) };
    }

    describe.each(Object.entries(lists))('of %s', (_name, { query, fill, fields: own, idsOf, count = COUNT }) => {
      let caller: Caller;
      let fields: object;
      let all: string[];

      const list = async (dialect: DialectName, paginationOptions: object) =>
        idsOf(await caller.with({ dialect }).data(query, { ...fields, paginationOptions }));

      beforeAll(async () => {
        const home = await fillOnce(query, fill);
        caller = home.caller;
        fields = own ?? home.found;
        all = [];
        for (let page = await list('spec', { limit: '100' }); page.length > 0; ) {
          all.push(...page);
          page = await list('spec', { limit: '100', after: all.at(-1) });
        }
      });

      test('has enough items, each once, newest first', () => {
        expect(all.length).toBeGreaterThanOrEqual(count);
        expect(all).toEqual([...new Set(all)].sort().reverse());
      });

      test.each([
        ['spec', 21],
        ['spec', 100],
        ['turnkey', 21],
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

      test('with both cursors, a page lies between them, adjacent to `after`', async () => {
        const [after, before] = [all[10], all[20]];
        expect(await list('spec', { limit: '100', after, before })).toEqual(all.slice(11, 20));
        expect(await list('turnkey', { limit: '4', after, before })).toEqual(all.slice(11, 15));
        expect(await list('spec', { limit: '4', after: before, before: after })).toEqual([]);
      });

      test('D58: a cursor without an item is a position between its neighbours', async () => {
        // The id of an item whose last digit differs lies right beside it.
        const at = all.findIndex((id, index) => index >= 20 && !id.endsWith('f'));
        const above = `${(all[at] as string).slice(0, -1)}f`;
        const [lowest, highest] = ['00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'];
        expect(await list('spec', { limit: '3', after: above })).toEqual(all.slice(at, at + 3));
        expect(await list('spec', { limit: '3', before: above })).toEqual(all.slice(at - 3, at));
        expect(await list('spec', { limit: '3', after: lowest })).toEqual([]);
        expect(await list('spec', { limit: '3', after: highest })).toEqual(all.slice(0, 3));
        expect(await list('spec', { limit: '3', before: highest })).toEqual([]);
        expect(await list('spec', { limit: '3', before: lowest })).toEqual(all.slice(-3));
      });
    });
  },
  {
    config: {
      ...mailSettings(inbox),
      ...tronConfig(ledger, [tron]),
      chainSendsPerOrganization: 0,
      maxMailsPerSubOrganization: 1000,
      maxUsers: 1000,
      maxPolicies: 1000,
      maxWallets: 1000,
      maxVelocityControls: 1000,
      maxSmartContractInterfaces: 1000,
      maxTags: 1000,
      maxSessionProfiles: 1000,
      maxWebhookEndpoints: MOST_ENDPOINTS,
      maxOauth2Credentials: MOST_OAUTH2_CREDENTIALS,
      // Making a credential contacts no provider.
      oauth2Providers: [listed(REAL, 'http://127.0.0.1:1')],
    },
  },
  slowEngines('postgres'),
);
