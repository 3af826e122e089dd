import { queries } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const getSessionProfiles = resolve(queries.getSessionProfiles, async (context, { paginationOptions }) => ({
  sessionProfiles: await listRecords(context, context.organization.records.sessionProfile, paginationOptions, showSessionProfile),
}));
