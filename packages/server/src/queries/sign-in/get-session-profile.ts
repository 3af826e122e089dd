import { builtInProfile, queries } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { showBuiltIn } from './show-built-in.ts';

export const getSessionProfile = resolve(queries.getSessionProfile, async ({ organization }, { sessionProfileId }) => {
  const builtIn = builtInProfile(sessionProfileId);
  if (builtIn !== undefined) return { sessionProfile: showBuiltIn(builtIn) };
  const profile = organization.records.sessionProfile.get(sessionProfileId);
  if (profile === undefined) throw notFound('session profile', 'sessionProfileId');
  return { sessionProfile: showSessionProfile(sessionProfileId, profile) };
});
