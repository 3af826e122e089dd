import { expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createSubOrganization, uniqueName } from '../../support/world.ts';

describeEngines('names in the list of sub-organizations', (subject) => {
  const root = () => subject().service.root;
  const named = async (fields: object = {}): Promise<Json[]> =>
    (await root().data('listSuborgs', { includeNames: true, ...fields })).organizations;
  const nameOf = async (caller: Caller) => (await caller.data('whoami')).organizationName as string;

  test('come with the ids, in the same order, page by page, and only where they are asked for', async () => {
    const made = [];
    for (let count = 0; count < 4; count++) {
      const { caller, organizationId } = await createSubOrganization(root());
      made.unshift({ organizationId, organizationName: await nameOf(caller) });
    }
    expect(await named({ paginationOptions: { limit: '4' } })).toEqual(made);
    expect(await named({ paginationOptions: { limit: '2', after: made[0]?.organizationId } })).toEqual(made.slice(1, 3));
    expect(await named({ paginationOptions: { limit: '2', before: made[3]?.organizationId } })).toEqual(made.slice(1, 3));
    const plain = await root().data('listSuborgs', { paginationOptions: { limit: '4' } });
    expect(plain).toEqual({ organizationIds: made.map(({ organizationId }) => organizationId) });
  });

  test('follow a new name, also in a search', async () => {
    const { caller, organizationId } = await createSubOrganization(root());
    const before = await nameOf(caller);
    const organizationName = uniqueName('Renamed');
    await caller.result('updateOrganizationName', { organizationName });
    const renamed = [{ organizationId, organizationName }];
    expect(await named({ filterType: 'NAME', filterValue: organizationName })).toEqual(renamed);
    expect(await named({ filterType: 'NAME', filterValue: before })).toEqual([]);
    expect(await named({ paginationOptions: { limit: '1' } })).toEqual(renamed);
  });

  test('a name that was changed in the database, or is that of another, is not shown, and the others are', async () => {
    const [first, second, third] = [
      await createSubOrganization(root()),
      await createSubOrganization(root()),
      await createSubOrganization(root()),
    ];
    const own = (id: string) => `organization_id = '${id}' AND kind = 'organization'`;
    const firstName = await nameOf(first.caller);
    await subject().raw.run(`UPDATE records SET body = '{"name":"Treasury"}' WHERE ${own(second.organizationId)}`);
    const [source] = await subject().raw.all(`SELECT body FROM records WHERE ${own(first.organizationId)}`);
    await subject().raw.run(`UPDATE records SET body = ? WHERE ${own(third.organizationId)}`, source?.body as string);
    expect(await named({ paginationOptions: { limit: '3' } })).toEqual([
      { organizationId: third.organizationId },
      { organizationId: second.organizationId },
      { organizationId: first.organizationId, organizationName: firstName },
    ]);
    await subject().raw.run(`DELETE FROM records WHERE ${own(third.organizationId)}`);
    expect(await named({ paginationOptions: { limit: '1' } })).toEqual([{ organizationId: third.organizationId }]);
  });
});
