import { queries } from '@countersign/contract';
import { showTag } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listPrivateKeyTags = resolve(queries.listPrivateKeyTags, async (context, { paginationOptions }) => ({
  privateKeyTags: await listRecords(context, context.organization.records.privateKeyTag, paginationOptions, (id, tag) =>
    showTag(id, tag, 'TAG_TYPE_PRIVATE_KEY'),
  ),
}));
