import type { ActivityDefinition, ActivityVersion, OperationDefinition, ParameterReader } from './define.ts';
import { versionNumber } from './define.ts';

/** One form of the operations under its base path. The server adds how to render it, the client how to read it. */
export interface DialectDefinition {
  /** The part of the path before `/public/v1`. */
  readonly basePath: string;
  /** Keys that a submit body may have in addition to the four of the specification. The server ignores them. */
  readonly ignoredSubmitKeys: readonly string[];
  /** The versions of an activity that its path takes. */
  acceptedVersions(activity: ActivityDefinition): readonly ActivityVersion[];
  /** How a version takes its parameters on this base path. */
  paramsOf(version: ActivityVersion): ParameterReader;
}

/** Every dialect: the specification's own, and the one that the `@turnkey/*` packages speak. */
export const dialects = {
  spec: {
    basePath: '',
    ignoredSubmitKeys: [],
    acceptedVersions: specVersions,
    paramsOf: ({ specParams }) => specParams,
  },
  turnkey: {
    basePath: '/compat/turnkey',
    ignoredSubmitKeys: ['generateAppProofs'],
    acceptedVersions: ({ versions }) => versions,
    paramsOf: ({ params }) => params,
  },
} as const satisfies Readonly<Record<string, DialectDefinition>>;

/**
 * The base path of every dialect. Some clients take a host and no path: with `compatibleAtRoot` the dialect of the `@turnkey/*` packages
 * has the root, and the specification's moves. Both have the same paths below, so only one can be there.
 */
export function basePaths(compatibleAtRoot: boolean): Readonly<Record<DialectName, string>> {
  return compatibleAtRoot ? { spec: '/spec', turnkey: '' } : { spec: dialects.spec.basePath, turnkey: dialects.turnkey.basePath };
}

/** The name of a dialect in code and in settings of the client. */
export type DialectName = keyof typeof dialects;

/** The path of an operation in a dialect. */
export function operationPath({ basePath }: Pick<DialectDefinition, 'basePath'>, { kind, path }: OperationDefinition): string {
  return `${basePath}/public/v1/${kind === 'activity' ? 'submit' : 'query'}/${path}`;
}

/** The versions that the specification lists: those up to the current one, if it lists any. */
export function listedVersions({ spec, type, versions }: ActivityDefinition): readonly ActivityVersion[] {
  return spec === 'none' ? [] : versions.filter((version) => versionNumber(version.type) <= versionNumber(type));
}

/** A path that the specification describes takes the one type given there. An activity that it does not know is ours: all versions are. */
function specVersions(activity: ActivityDefinition): readonly ActivityVersion[] {
  switch (activity.spec) {
    case 'endpoint':
      return activity.versions.filter(({ type }) => type === activity.type);
    case 'types':
      return listedVersions(activity);
    case 'none':
      return activity.versions;
  }
}
