import { queries } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const getSessionProfiles = resolve(queries.getSessionProfiles, async ({ organization: { records } }) => ({
  sessionProfiles: [...records.sessionProfile].map(([id, profile]) => showSessionProfile(id, profile)),
}));
