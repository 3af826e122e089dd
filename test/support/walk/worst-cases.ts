import type { Activities, Queries } from '@countersign/contract';
import { passkeyParams } from '../../features/catalogue/support/passkeys.ts';
import { approve, policyParams, submitPending } from '../../features/policies/support.ts';
import { contactParams, interfaceParams } from '../activity-params.ts';
import { newApiKey } from '../api-key.ts';
import type { Caller, Json } from '../caller.ts';
import { type MeasuredRequest, measureRequests, stampRequest } from '../measure-operation.ts';
import type { RawDatabase } from '../raw-database.ts';
import type { TestService } from '../service.ts';
import {
  apiKeyParams,
  createMember,
  createSubOrganization,
  createWallet,
  ethereumAccount,
  privateKeyParams,
  signParams,
  subOrganizationParams,
  uniqueName,
  userParams,
} from '../world.ts';
import { addLimits, addLongPolicies, createHeard, longCondition, longPolicies, newKey } from './organizations.ts';
import { emptyStrings, largeAbi, legacyPsbt } from './payloads.ts';
import type { Walked } from './requests.ts';

/** A request that enlarging a usual one does not find. */
interface WorstCase {
  readonly operation: keyof Activities | keyof Queries;
  readonly form: string;
  measure(service: TestService, raw: RawDatabase, runs: number): Promise<Walked>;
}

/** What to send: parameters that are new in each request, from the root user of a new organization or from `caller`. */
interface Prepared {
  readonly caller?: Caller;
  params(): object;
}

type Prepare = (root: Caller, parent: Caller) => Promise<Prepared>;

const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

/** An activity. `each` prepares every request separately, for requests that succeed only once. */
function submit(operation: keyof Activities, form: string, prepare: Prepare, each: 'shared' | 'each' = 'shared'): WorstCase {
  async function prepared(service: TestService): Promise<MeasuredRequest> {
    const { caller: root } = await createSubOrganization(service.root);
    const { caller = root, params } = await prepare(root, service.root);
    return { caller, path: caller.submitPath(operation), body: () => caller.submitBody(operation, params()) };
  }
  return {
    operation,
    form,
    async measure(service, raw, runs) {
      const shared = each === 'each' ? undefined : await prepared(service);
      const requests: MeasuredRequest[] = [];
      for (let run = 0; run < 2 * runs; run += 1) requests.push(shared ?? (await prepared(service)));
      return { operation, form, cost: await measureRequests(raw, requests.map(stampRequest)) };
    },
  };
}

function query(operation: keyof Queries, form: string, prepare: Prepare): WorstCase {
  return {
    operation,
    form,
    async measure(service, raw, runs) {
      const { caller: root } = await createSubOrganization(service.root);
      const { caller = root, params } = await prepare(root, service.root);
      const body = () => JSON.stringify({ organizationId: caller.organizationId, ...params() });
      const request = { caller, path: caller.queryPath(operation), body };
      return {
        operation,
        form,
        cost: await measureRequests(
          raw,
          times(2 * runs, () => stampRequest(request)),
        ),
      };
    },
  };
}

const longMessage = (length: number) => uniqueName('Message').padEnd(length, '.');
const compatible = (caller: Caller) => caller.with({ dialect: 'turnkey' });
const typedData = { payload: emptyStrings(42_000), encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' };

const signingCases: readonly WorstCase[] = [
  submit('signRawPayload', 'EIP-712 with 42,000 empty strings', async (root) => {
    const signWith = await newKey(root);
    return { caller: compatible(root), params: () => ({ signWith, ...typedData }) };
  }),
  submit('signTransaction', 'PSBT of 500 legacy inputs and 2,500 outputs', async (root) => {
    const params = await legacyPsbt(root, 500, 2500);
    return { caller: compatible(root), params: () => params };
  }),
  submit('signTransaction', 'PSBT of 50 outputs, 10 limits by destination', async (root) => {
    await addLimits(root, 10, 'bip122:000000000019d6689c085ae165831e93/slip44:0', '8');
    const params = await legacyPsbt(root, 1, 50);
    return { caller: compatible(root), params: () => params };
  }),
  submit('signRawPayload', '60 policies of 30 KB', async (root) => {
    await addLongPolicies(root);
    const { caller } = await createMember(root);
    const key = await newKey(root);
    return { caller, params: () => signParams(key) };
  }),
];

const objectCases: readonly WorstCase[] = [
  submit('createSmartContractInterface', 'ABI of 400 KB', async () => {
    const smartContractInterface = largeAbi(399_000);
    return { params: () => ({ ...interfaceParams(), smartContractInterface }) };
  }),
  submit('createPolicies', '7 × 30 KB', async () => ({ params: () => ({ policies: longPolicies(Date.now()) }) }), 'each'),
  submit('createPolicy', '31 KB', async () => ({ params: () => policyParams('DENY', { condition: longCondition(1, 850) }) })),
  submit(
    'createUsers',
    '90 users with 10 API keys',
    async () => ({
      params: () => ({ users: times(90, () => userParams(...times(10, () => newApiKey()))) }),
    }),
    'each',
  ),
  submit(
    'createAuthenticators',
    '10 passkeys',
    async (root) => {
      const { userId } = await createMember(root);
      return { params: () => ({ userId, authenticators: times(10, () => passkeyParams()) }) };
    },
    'each',
  ),
  submit('createSubOrganization', '100 users with 10 API keys, 1,000 accounts', async (_, parent) => ({
    caller: parent,
    params: () =>
      subOrganizationParams(newApiKey(), {
        rootUsers: times(100, () => {
          const { userTags: __, ...user } = userParams(...times(10, () => newApiKey()));
          return user;
        }),
        wallet: { walletName: uniqueName('Wallet'), accounts: times(1000, ethereumAccount) },
      }),
  })),
  submit('createContacts', '60 with notes of 16 KB', async () => ({
    params: () => ({ contacts: times(60, () => ({ ...contactParams(), notes: 'n'.repeat(16_384) })) }),
  })),
  submit(
    'deleteWalletAccounts',
    '1,000',
    async (root) => {
      const { walletId } = await createWallet(root, 1000);
      const { accounts } = await root.data('listWalletAccounts', { walletId });
      const walletAccountIds = accounts.map((account: Json) => account.walletAccountId);
      return { params: () => ({ walletAccountIds, deleteWithoutExport: true }) };
    },
    'each',
  ),
  submit(
    'deletePrivateKeys',
    '100',
    async (root) => {
      const privateKeyIds = await manyKeys(root);
      return { params: () => ({ privateKeyIds, deleteWithoutExport: true }) };
    },
    'each',
  ),
  submit('createPrivateKeyTag', '100 keys', async (root) => {
    const privateKeyIds = await manyKeys(root);
    return { params: () => ({ privateKeyTagName: uniqueName('Tag'), privateKeyIds }) };
  }),
  submit('createUserTag', '90 users with 10 API keys', async (root) => {
    const userIds = await manyUsers(root);
    return { params: () => ({ userTagName: uniqueName('Tag'), userIds }) };
  }),
  submit(
    'deleteUsers',
    '90 users with 10 API keys',
    async (root) => {
      const userIds = await manyUsers(root);
      return { params: () => ({ userIds }) };
    },
    'each',
  ),
  submit(
    'createApiKeys',
    '10',
    async (root) => {
      const { userId } = await createMember(root);
      return { params: () => ({ userId, apiKeys: times(9, () => apiKeyParams(newApiKey())) }) };
    },
    'each',
  ),
];

const queryCases: readonly WorstCase[] = [
  query('listUsers', '90 users with 10 API keys', async (root) => {
    await manyUsers(root);
    return { params: () => ({}) };
  }),
  query('listContacts', '300 with notes of 16 KB', async (root) => {
    for (let at = 0; at < 5; at += 1)
      await root.result('createContacts', { contacts: times(60, () => ({ ...contactParams(), notes: 'n'.repeat(16_384) })) });
    return { params: () => ({}) };
  }),
  query('listPolicies', '60 policies of 30 KB', async (root) => {
    await addLongPolicies(root);
    return { params: () => ({}) };
  }),
  query('listActivities', '100 of 40 KB', async (root) => {
    const key = await newKey(root);
    for (let at = 0; at < 100; at += 1) await root.result('signRawPayload', signParams(key, longMessage(40_000)));
    return { params: () => ({ paginationOptions: { limit: '100' } }) };
  }),
  query('simulateActivity', 'EIP-712 with 42,000 empty strings', async (root) => {
    const signWith = await newKey(root);
    const parameters = { signWith, ...typedData };
    return { caller: compatible(root), params: () => ({ type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', parameters }) };
  }),
  query('simulateActivity', '60 policies of 30 KB, explained', async (root) => {
    await addLongPolicies(root);
    const { caller } = await createMember(root);
    const parameters = signParams(await newKey(root));
    return { caller, params: () => ({ type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', parameters, explain: true }) };
  }),
  query('listWalletAccounts', '1,000', async (root) => {
    const { walletId } = await createWallet(root, 1000);
    return { params: () => ({ walletId, includeWalletDetails: true }) };
  }),
];

/** Last, because the endpoints of the parent receive the events of all later cases too. */
const webhookCases: readonly WorstCase[] = [
  submit('signRawPayload', '20 webhook endpoints', async (_, parent) => {
    const { root } = await createHeard(parent);
    const key = await newKey(root);
    return { caller: root, params: () => signParams(key) };
  }),
  submit('signRawPayload', '44 KB, 20 webhook endpoints', async (_, parent) => {
    const { root } = await createHeard(parent);
    const key = await newKey(root);
    return { caller: root, params: () => signParams(key, longMessage(44_000)) };
  }),
  submit(
    'approveActivity',
    'of 44 KB, 10 webhook endpoints',
    async (_, parent) => {
      const { root, roots } = await createHeard(parent, 3);
      const pending = await submitPending(root, 'createWallet', {
        walletName: uniqueName('Wallet'),
        accounts: times(250, ethereumAccount),
      });
      await approve(roots[1] as (typeof roots)[0], pending);
      return { caller: (roots[2] as (typeof roots)[0]).caller, params: () => ({ fingerprint: pending.fingerprint }) };
    },
    'each',
  ),
];

/** Cases that are made by hand, each with the reason in its form. */
export const worstCases: readonly WorstCase[] = [...signingCases, ...objectCases, ...queryCases, ...webhookCases];

async function manyKeys(root: Caller): Promise<string[]> {
  const { privateKeys } = await root.result('createPrivateKeys', {
    privateKeys: times(100, () => privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM'])),
  });
  return privateKeys.map(({ privateKeyId }: Json) => privateKeyId);
}

async function manyUsers(root: Caller): Promise<string[]> {
  const { userIds } = await root.result('createUsers', { users: times(90, () => userParams(...times(10, () => newApiKey()))) });
  return userIds;
}
