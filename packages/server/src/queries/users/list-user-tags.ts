import { queries } from '@countersign/contract';
import { showTag } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listUserTags = resolve(queries.listUserTags, async ({ organization, endSlice }, { paginationOptions }) => ({
  userTags: await listRecords(endSlice, organization.records.userTag, paginationOptions, (id, tag) =>
    showTag(id, tag, 'TAG_TYPE_USER'),
  ),
}));
