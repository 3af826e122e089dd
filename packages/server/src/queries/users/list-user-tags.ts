import { queries } from '@countersign/contract';
import { showTag } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listUserTags = resolve(queries.listUserTags, async (context, { paginationOptions }) => ({
  userTags: await listRecords(context, context.organization.records.userTag, paginationOptions, (id, tag) =>
    showTag(id, tag, 'TAG_TYPE_USER'),
  ),
}));
