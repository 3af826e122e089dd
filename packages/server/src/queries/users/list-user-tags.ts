import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showTags } from '../show.ts';

export const listUserTags = resolve(queries.listUserTags, async ({ organization }) => ({
  userTags: showTags(organization.records.userTag, 'TAG_TYPE_USER'),
}));
