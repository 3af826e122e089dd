import type { BuiltInProfile, SessionProfileShape } from '@countersign/contract';
import { showSessionProfile } from '../../organizations/views.ts';

/** Built-in profiles have no time of creation. */
const undated = { createdAtMs: 0, updatedAtMs: 0 };

/** A profile that every organization has, as queries show it. */
export function showBuiltIn(profile: BuiltInProfile): SessionProfileShape {
  return { ...showSessionProfile(profile.sessionProfileId, { ...profile, ...undated }), builtIn: true };
}
