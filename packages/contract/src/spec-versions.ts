import type { ActivityDefinition, ActivityVersion } from './define.ts';
import { activityTypes } from './shapes/activity-types.ts';

/**
 * The versions of an activity that the specification's path takes: the one it gives where it describes the endpoint in full, else those
 * it lists. A family that it does not know is ours, and is served whole.
 */
export function specVersions({ specified, type, versions }: ActivityDefinition): readonly ActivityVersion[] {
  if (specified) return versions.filter((version) => version.type === type);
  const listed = versions.filter((version) => activityTypes.includes(version.type));
  return listed.length === 0 ? versions : listed;
}
