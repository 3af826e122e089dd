import { queries } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const getSessionProfiles = resolve(
  queries.getSessionProfiles,
  async ({ organization: { records } }, { paginationOptions }) => ({
    sessionProfiles: listRecords(records.sessionProfile, paginationOptions, showSessionProfile),
  }),
);
