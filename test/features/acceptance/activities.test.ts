import { beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { shapeOf } from '../../support/shape-of.ts';
import {
  apiKeyParams,
  createMember,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  errorOf,
  madeUpId,
  signParams,
  subOrganizationParams,
  userParams,
} from '../../support/world.ts';

describeEngines('activities', (subject) => {
  let root: Caller;

  beforeAll(() => {
    root = subject().service.root;
  });

  describe('list_activities', () => {
    /** Newest first: three signatures, a wallet, and a denied attempt by a user outside of the root quorum. */
    let caller: Caller;
    let ids: string[];

    beforeAll(async () => {
      ({ caller } = await createSubOrganization(root));
      const member = await createMember(caller);
      const { addresses } = await createWallet(caller);
      await member.caller.submit('signRawPayload', signParams(addresses[0] as string));
      for (let index = 0; index < 3; index++) await caller.result('signRawPayload', signParams(addresses[0] as string));
      const { activities } = await caller.data('listActivities');
      ids = activities.map((activity: Json) => activity.id);
    });

    const list = async (fields: object): Promise<string[]> =>
      (await caller.data('listActivities', fields)).activities.map((activity: Json) => activity.id);

    test('lists all activities of the organization, newest first', async () => {
      const { activities } = await caller.data('listActivities');
      expect(activities.map((activity: Json) => [activity.type, activity.status])).toEqual([
        ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_STATUS_COMPLETED'],
        ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_STATUS_COMPLETED'],
        ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_STATUS_COMPLETED'],
        ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_STATUS_FAILED'],
        ['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_STATUS_COMPLETED'],
        ['ACTIVITY_TYPE_CREATE_USERS_V3', 'ACTIVITY_STATUS_COMPLETED'],
      ]);
      expect(ids.toSorted().reverse()).toEqual(ids);
    });

    test('filters by status and by type', async () => {
      expect(await list({ filterByStatus: ['ACTIVITY_STATUS_FAILED'] })).toEqual([ids[3]]);
      expect(await list({ filterByType: ['ACTIVITY_TYPE_CREATE_WALLET'] })).toEqual([ids[4]]);
      expect(await list({ filterByType: ['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_CREATE_USERS_V3'] })).toEqual(
        ids.slice(4),
      );
      const both = {
        filterByType: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'],
        filterByStatus: ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_REJECTED'],
      };
      expect(await list(both)).toEqual(ids.slice(0, 3));
      expect(await list({ filterByStatus: ['ACTIVITY_STATUS_PENDING'] })).toEqual([]);
      expect(await list({ filterByStatus: [], filterByType: [] })).toEqual(ids);
    });

    test('pages connect in both directions, with and without a filter', async () => {
      expect(await list({ paginationOptions: { limit: '2' } })).toEqual(ids.slice(0, 2));
      expect(await list({ paginationOptions: { limit: '2', after: ids[1] } })).toEqual(ids.slice(2, 4));
      expect(await list({ paginationOptions: { limit: '2', before: ids[4] } })).toEqual(ids.slice(2, 4));
      const filter = { filterByStatus: ['ACTIVITY_STATUS_COMPLETED'] };
      const completed = ids.filter((_, index) => index !== 3);
      expect(await list({ ...filter, paginationOptions: { limit: '3' } })).toEqual(completed.slice(0, 3));
      expect(await list({ ...filter, paginationOptions: { limit: '3', after: completed[2] } })).toEqual(completed.slice(3));
      expect(await list({ ...filter, paginationOptions: { limit: '1', before: completed[3] } })).toEqual([completed[2]]);
    });

    test('a cursor of another organization is only a position in time', async () => {
      const { body } = await root.submit('createUsers', { users: [userParams(newApiKey())] });
      const foreign: string = body.activity.id;
      const neighbour = `${foreign.slice(0, -4)}0000`;
      for (const cursor of ['before', 'after']) {
        expect(await list({ paginationOptions: { [cursor]: foreign } })).toEqual(
          await list({ paginationOptions: { [cursor]: neighbour } }),
        );
      }
      expect(await list({ paginationOptions: { after: foreign } })).toEqual(ids);
    });

    test.each(['0', 'x', madeUpId(), '018F0000-0000-7000-8000-000000000000'])('%s is no cursor', async (text) => {
      for (const cursor of ['before', 'after']) {
        const answer = await caller.query('listActivities', { paginationOptions: { [cursor]: text } });
        expect(errorOf(answer)).toMatchObject({ status: 400, fields: [`paginationOptions.${cursor}`] });
      }
    });

    test('the denied attempt shows who tried what and why it failed', async () => {
      const { activity } = await caller.data('getActivity', { activityId: ids[3] });
      expect(activity).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', result: {}, canApprove: false, canReject: false });
      expect(activity.failure).toMatchObject({ code: 7, details: [] });
      expect(activity.failure.message).toContain('not authorized');
      expect(activity.votes).toHaveLength(1);
    });
  });

  test('get_activity finds an activity by its id only', async () => {
    const { body } = await root.submit('createUsers', { users: [userParams(newApiKey())] });
    const { activity } = await root.data('getActivity', { activityId: body.activity.id });
    expect(activity).toMatchObject({ id: body.activity.id, type: 'ACTIVITY_TYPE_CREATE_USERS_V3', failure: null });
    for (const activityId of [madeUpId(), body.activity.id.toUpperCase(), activity.fingerprint]) {
      expect(errorOf(await root.query('getActivity', { activityId }))).toEqual({
        status: 404,
        code: 'NOT_FOUND',
        fields: ['activityId'],
      });
    }
  });

  test.each(['spec', 'turnkey'] as const)('a pending activity answers 200 with an empty result (%s)', async (dialect) => {
    const [one, two] = [newApiKey(), newApiKey()];
    const params = subOrganizationParams(one);
    const { userTags: _, ...second } = userParams(two);
    const both = { ...params, rootUsers: [...params.rootUsers, second], rootQuorumThreshold: 2 };
    const { subOrganizationId, rootUserIds } = await root.result('createSubOrganization', both);
    const caller = root.with({ key: one, organizationId: subOrganizationId, dialect });
    const before = await countRows(subject().raw);
    const { status, body } = await caller.submit('createUsers', { users: [userParams(newApiKey())] });
    expect(status).toBe(200);
    expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    const { result, intent } = dialect === 'spec' ? body.activity.result.activity : body.activity;
    expect(result).toEqual({});
    expect(Object.keys(intent)).toEqual([dialect === 'spec' ? 'createUsersIntent' : 'createUsersIntentV3']);
    if (dialect === 'turnkey') expect(body.activity).toMatchObject({ canApprove: false, votes: [{ userId: rootUserIds[0] }] });
    const { activity } = await caller.with({ key: two }).data('getActivity', { activityId: body.activity.id });
    expect(activity).toMatchObject({ canApprove: true, canReject: true });
    expect(await countRows(subject().raw)).toEqual({
      ...before,
      activities: before.activities + 1,
      // The organization knows that it waits, and its parent that the key was used here.
      records: before.records + 1,
      lookups: before.lookups + 1,
    });
  });

  test('D54: users may change their own credentials, and nothing else', async () => {
    const [one, other] = [await createMember(root), await createMember(root)];
    const key = newApiKey();
    const own = await one.caller.submit('createApiKeys', { userId: one.userId, apiKeys: [apiKeyParams(key)] });
    expect(own.status).toBe(200);
    const denied = [
      await one.caller.submit('createApiKeys', { userId: other.userId, apiKeys: [apiKeyParams(newApiKey())] }),
      await one.caller.submit('createUsers', { users: [userParams(newApiKey())] }),
      await one.caller.submit('signRawPayload', signParams(await createPrivateKey(root))),
      await one.caller.submit('createSubOrganization', subOrganizationParams(newApiKey())),
    ];
    for (const answer of denied) {
      expect(answer.status).toBe(403);
      expect(shapeOf(answer.body)).toEqual({
        code: 'number',
        message: 'string',
        details: [{ '@type': 'string', activityId: 'string' }],
        errorCode: 'string',
      });
      const [{ activityId }] = answer.body.details;
      const { activity } = await root.data('getActivity', { activityId });
      expect(activity).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', votes: [{ userId: one.userId }] });
    }
  });
});
