import { type ActivityDefinition, activities, jsonSchemaOf, type QueryDefinition, queries } from '@countersign/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { activityCases, buildWorld, type World } from '../../support/activity-cases.ts';
import type { Answer, Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { queryCases } from '../../support/query-cases.ts';
import { countRows } from '../../support/raw-database.ts';
import { createSubOrganization, errorOf, madeUpId, signParams } from '../../support/world.ts';

type ActivityName = keyof typeof activities;
type QueryName = keyof typeof queries;

const activityNames = Object.keys(activityCases) as ActivityName[];
const queryNames = Object.keys(queryCases) as QueryName[];

/** An unused id of the same kind as the given one. */
function madeUpLike(id: string): string {
  return id.startsWith('0x') ? `0x${madeUpId().replaceAll('-', '').padEnd(40, '0')}` : madeUpId();
}

/** Copies of the value, one for every leaf that is an id of `own`, with that leaf replaced. */
function variants(value: Json, own: World): { field: string; key: keyof World; put: (id: string) => Json }[] {
  if (typeof value === 'string') {
    const key = (Object.keys(own) as (keyof World)[]).find((name) => own[name] === value);
    return key === undefined ? [] : [{ field: '', key, put: (id) => id }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    variants(member, own).map(({ field, key, put }) => ({
      field: field === '' || /^\d/.test(field) ? name : field,
      key,
      put: (id: string) =>
        Array.isArray(value) ? value.map((item, at) => (String(at) === name ? put(id) : item)) : { ...value, [name]: put(id) },
    })),
  );
}

/** The names of a schema's fields that hold ids or addresses. */
function idFields(schema: ReturnType<typeof jsonSchemaOf>, name = ''): string[] {
  const inner = [...Object.entries(schema.properties ?? {}), ...(schema.items ? [[name, schema.items] as const] : [])];
  const below = inner.flatMap(([field, member]) => idFields(member, field));
  const isId = /(?:Id|Ids|^signWith|^address)$/.test(name) && !['organizationId', 'credentialId', 'rawId'].includes(name);
  return schema.type === 'string' && isId ? [name] : below;
}

describeEngines('organizations are isolated', (subject) => {
  let root: Caller;
  let own: World;
  let foreign: World;

  beforeAll(async () => {
    root = subject().service.root;
    own = await buildWorld((await createSubOrganization(root)).caller);
    foreign = await buildWorld((await createSubOrganization(root)).caller);
  });

  /** Sends the request once with another organization's id and once with an unused id. */
  async function expectNoDifference(send: (fields: Json) => Promise<Answer>, fields: Json): Promise<string[]> {
    const before = await countRows(subject().raw);
    const found = variants(fields, own);
    for (const { field, key, put } of found) {
      const id = foreign[key] as string;
      const [theirs, nobodys] = [await send(put(id)), await send(put(madeUpLike(id)))];
      expect(theirs.status, `${field}: ${JSON.stringify(theirs.body)}`).toBe(404);
      expect({ status: theirs.status, body: theirs.body }).toEqual({ status: nobodys.status, body: nobodys.body });
    }
    expect(await countRows(subject().raw)).toEqual(before);
    return found.map(({ field }) => field);
  }

  /** Tags have their own tests: the samples use none. The address of a new contact belongs to nobody here. */
  const fieldsOf = (schema: ActivityDefinition['params']) =>
    new Set(
      idFields(jsonSchemaOf(schema)).filter(
        (name) => !/Tags?$/.test(name) && !(schema === activities.createContacts.params && name === 'address'),
      ),
    );

  test.each(activityNames)('D57: %s answers another organization’s id like an unknown id', async (name) => {
    const params = activityCases[name]?.params(own);
    const tried = await expectNoDifference((fields) => own.root.submit(name, fields), params);
    expect(new Set(tried)).toEqual(fieldsOf((activities[name] as ActivityDefinition).params));
  });

  test.each(queryNames)('D57: %s answers another organization’s id like an unknown id', async (name) => {
    const more: Partial<Record<QueryName, object>> = {
      getWalletAccount: { path: undefined, address: own.address },
      listWalletAccounts: { walletId: own.walletId },
      getActivityNames: { moreActivityIds: undefined, compareWith: undefined },
      simulateActivity: { approverIds: [own.userId] },
      backtestPolicies: {
        policies: { update: [{ policyId: own.policyId, policyName: 'Another' }] },
        velocityControls: { update: [{ velocityControlId: own.velocityControlId, newThreshold: '1' }] },
      },
      listPastRequests: { range: undefined, activityIds: [own.activityId] },
    };
    const fields = { ...queryCases[name]?.fields(own), ...more[name] };
    const tried = await expectNoDifference((changed) => own.root.query(name, changed), fields);
    // The users of a range, an address, other activities and what is searched for are filters: one that is nobody here finds nothing.
    const isFilter = (field: string) =>
      name === 'searchActivities' ||
      ((name === 'listWalletAccounts' || name === 'listSendTransactions') && field === 'address') ||
      (name === 'getActivityNames' && field !== 'activityId') ||
      (field === 'userIds' && 'range' in (queries[name] as QueryDefinition<string, z.ZodObject>).input.shape);
    for (const field of fieldsOf((queries[name] as QueryDefinition).input)) if (!isFilter(field)) expect(tried).toContain(field);
  });

  test.each(['listActivities', 'listSuborgs', 'listWalletAccounts'] as const)(
    'D57: a foreign cursor of %s reveals nothing',
    async (name) => {
      const ids = {
        listActivities: foreign.activityId,
        listSuborgs: foreign.root.organizationId,
        listWalletAccounts: foreign.walletId,
      };
      const cursor: string = ids[name];
      for (const side of ['before', 'after']) {
        const page = (id: string) => own.root.data(name, { paginationOptions: { [side]: id, limit: '100' } });
        expect(await page(cursor)).toEqual(await page(`${cursor.slice(0, -6)}ffffff`));
        expect(JSON.stringify(await page(cursor))).not.toContain(foreign.root.organizationId);
      }
    },
  );

  test('D57: a filter does not find a foreign user, key or name', async () => {
    const { username } = await foreign.root.data('whoami');
    for (const [filterType, filterValue] of [
      ['USERNAME', username],
      ['PUBLIC_KEY', foreign.root.key.publicKey],
    ]) {
      expect(await own.root.data('listSuborgs', { filterType, filterValue })).toEqual({ organizationIds: [] });
      expect(await root.data('listSuborgs', { filterType, filterValue })).toEqual({
        organizationIds: [foreign.root.organizationId],
      });
    }
  });

  test('D47: another organization’s address does not sign here', async () => {
    for (const signWith of [foreign.address, foreign.address.toLowerCase(), foreign.privateKeyId]) {
      expect(errorOf(await own.root.submit('signRawPayload', signParams(signWith)))).toMatchObject({
        code: 'SIGN_WITH_NOT_FOUND',
      });
    }
  });

  const atAnyTime = (data: object) => ({ ...data, evaluatedAtMs: expect.any(String) });

  describe('a parent', () => {
    test.each(queryNames)('reads %s of its sub-organization as its own users do', async (name) => {
      const fields = queryCases[name]?.fields(own) ?? {};
      const reader = root.with({ organizationId: own.root.organizationId });
      const [theirs, ours] = [await own.root.data(name, fields), await reader.query(name, fields)];
      if (name === 'simulateActivity') {
        // The caller would be the submitter, but is not a user of the sub-organization.
        expect(errorOf(ours)).toMatchObject({ status: 404, fields: ['approverIds.0'] });
        return;
      }
      expect(ours.status, JSON.stringify(ours.body)).toBe(200);
      if (name === 'whoami') expect(ours.body.activity.result).toMatchObject({ organizationId: root.organizationId });
      // Everybody sees their own.
      else if (name === 'listPushSubscriptions') expect(ours.body.activity.result).toMatchObject({ pushSubscriptions: [] });
      else expect(ours.body.activity.result).toEqual('evaluatedAtMs' in theirs ? atAnyTime(theirs) : theirs);
    });

    test.each(activityNames)('never writes: %s', async (name) => {
      const before = await countRows(subject().raw);
      const writer = root.with({ organizationId: own.root.organizationId });
      const answer = await writer.submit(name, activityCases[name]?.params(own));
      expect(errorOf(answer)).toEqual({ status: 400, code: 'ORGANIZATION_MISMATCH' });
      expect(await countRows(subject().raw)).toEqual(before);
    });
  });

  test.each(queryNames)('a child reads neither its parent nor its sibling: %s', async (name) => {
    for (const organizationId of [root.organizationId, foreign.root.organizationId, madeUpId()]) {
      const answer = await own.root.with({ organizationId }).query(name, queryCases[name]?.fields(foreign));
      if (name === 'whoami' && organizationId === root.organizationId) {
        // With the parent's id, callers learn about their own organization and nothing about the parent.
        expect(answer.body.activity.result).toEqual(await own.root.data('whoami'));
        continue;
      }
      expect(errorOf(answer)).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    }
  });

  test('a key known to parent and child acts there as the child’s user, who may write', async () => {
    const { caller, userId, organizationId } = await createSubOrganization(root);
    const { publicKey, curve: curveType } = root.key;
    await caller.result('createApiKeys', { userId, apiKeys: [{ apiKeyName: 'Shared', publicKey, curveType }] });
    const shared = root.with({ organizationId });
    expect(await shared.data('whoami')).toMatchObject({ userId, organizationId });
    expect((await shared.submit('createWallet', { walletName: 'By the shared key', accounts: [] })).status).toBe(200);
    expect(await root.data('whoami')).toMatchObject({ organizationId: root.organizationId });
  });
});
