import { builtInProfiles, queries } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';
import { showBuiltIn } from './show-built-in.ts';

const others = Object.values(builtInProfiles).map(showBuiltIn);

/** A page contains no built-in profiles: their fixed ids have no place in its order, and are no cursors. */
export const getSessionProfiles = resolve(queries.getSessionProfiles, async (context, { paginationOptions }) => ({
  sessionProfiles: await listRecords(
    context,
    context.organization.records.sessionProfile,
    paginationOptions,
    showSessionProfile,
    {
      others,
    },
  ),
}));
