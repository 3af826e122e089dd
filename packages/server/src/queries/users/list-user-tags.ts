import { queries } from '@countersign/contract';
import { showTags } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const listUserTags = resolve(queries.listUserTags, async ({ organization }) => ({
  userTags: showTags(organization.records.userTag, 'TAG_TYPE_USER'),
}));
