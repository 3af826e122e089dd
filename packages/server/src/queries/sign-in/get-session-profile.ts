import { queries } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getSessionProfile = resolve(queries.getSessionProfile, async ({ organization }, { sessionProfileId }) => {
  const profile = organization.records.sessionProfile.get(sessionProfileId);
  if (profile === undefined) throw notFound('session profile', 'sessionProfileId');
  return { sessionProfile: showSessionProfile(sessionProfileId, profile) };
});
