import { queries } from '@countersign/contract';
import { showTags } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const listPrivateKeyTags = resolve(queries.listPrivateKeyTags, async ({ organization }) => ({
  privateKeyTags: showTags(organization.records.privateKeyTag, 'TAG_TYPE_PRIVATE_KEY'),
}));
