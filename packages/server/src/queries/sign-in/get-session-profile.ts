import { builtInProfile, queries } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

/** Built-in profiles have no time of creation. */
const undated = { createdAtMs: 0, updatedAtMs: 0 };

export const getSessionProfile = resolve(queries.getSessionProfile, async ({ organization }, { sessionProfileId }) => {
  const builtIn = builtInProfile(sessionProfileId);
  const profile = builtIn === undefined ? organization.records.sessionProfile.get(sessionProfileId) : { ...builtIn, ...undated };
  if (profile === undefined) throw notFound('session profile', 'sessionProfileId');
  return { sessionProfile: showSessionProfile(sessionProfileId, profile) };
});
