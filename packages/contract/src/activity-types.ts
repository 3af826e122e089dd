import { z } from 'zod';
import { activities } from './activities/index.ts';
import type { ActivityDefinition, ActivityVersion } from './define.ts';
import { listedVersions } from './dialects.ts';

const definitions = Object.values<ActivityDefinition>(activities);

/** The activity and the version that each type names. */
export const activityByType: ReadonlyMap<string, { readonly definition: ActivityDefinition; readonly version: ActivityVersion }> =
  new Map(definitions.flatMap((definition) => definition.versions.map((version) => [version.type, { definition, version }])));

/** Every activity type that the specification lists. */
export const activityTypes: readonly string[] = definitions.flatMap(listedVersions).map(({ type }) => type);

/** The schema of an activity type: every one that the service takes. */
export const activityType = z.enum([...activityByType.keys()].sort()).meta({ id: 'ActivityType' });
