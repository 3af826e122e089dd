import { queries } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const getSessionProfiles = resolve(
  queries.getSessionProfiles,
  async ({ organization: { records }, endSlice }, { paginationOptions }) => ({
    sessionProfiles: await listRecords(endSlice, records.sessionProfile, paginationOptions, showSessionProfile),
  }),
);
