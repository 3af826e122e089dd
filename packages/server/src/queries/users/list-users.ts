import { queries } from '@countersign/contract';
import type { UserRecord } from '../../organizations/records.ts';
import { showUser } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { matcherOf, pageOptions } from '../matching.ts';
import { listRecords } from '../page.ts';
import { shortenUser } from '../shorten.ts';

export const listUsers = resolve(queries.listUsers, async (context, asked) => {
  const { organization, showBeyondSpec } = context;
  const isMatch = matcherOf(asked.matching);
  const tagName = (id: string) => organization.records.userTag.get(id)?.tagName;
  const show = (userId: string, { userName, userEmail, userTags }: UserRecord) =>
    isMatch(userId, [userName, userEmail, ...(asked.matching === undefined ? [] : userTags.map(tagName))])
      ? showUser(organization, userId, showBeyondSpec)
      : undefined;
  return { users: await listRecords(context, organization.users, pageOptions(asked), show, { shorten: shortenUser }) };
});
