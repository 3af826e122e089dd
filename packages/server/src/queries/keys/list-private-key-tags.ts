import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showTags } from '../show.ts';

export const listPrivateKeyTags = resolve(queries.listPrivateKeyTags, async ({ organization }) => ({
  privateKeyTags: showTags(organization.records.privateKeyTag, 'TAG_TYPE_PRIVATE_KEY'),
}));
