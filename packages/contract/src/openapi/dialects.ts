import type { z } from 'zod';
import { type ActivityDefinition, type ActivityVersion, intentKey, type QueryDefinition } from '../define.ts';
import { specVersions } from '../spec-versions.ts';
import { capital, closed, type Json, reference } from './json.ts';
import type { At } from './schemas.ts';

/** One rendering of the operations: where it is served and what its bodies look like. */
export interface Dialect {
  readonly base: string;
  readonly errors: 'Error' | 'CompatibleError';
  readonly operationId: (name: string) => string;
  /** Optional keys of a submit body, beside the four that both dialects share. */
  readonly extraKeys: Json;
  /** The versions of an activity that its path takes. */
  readonly versions: (activity: ActivityDefinition) => readonly ActivityVersion[];
  /** The parameters that a version takes here. */
  readonly params: (version: ActivityVersion) => z.ZodType;
  readonly submitted: (activity: ActivityDefinition, at: At) => Json;
  readonly answered: (query: QueryDefinition, at: At) => Json;
}

const text: Json = { type: 'string' };

/** A vote is answered with the activity that was voted on, whatever its type. */
const answersAnother = ({ subject }: ActivityDefinition) => subject === 'consensus';
const anyActivity = closed({ type: text, intent: { type: 'object' }, result: { type: 'object' } });

const specification: Dialect = {
  base: '',
  errors: 'Error',
  operationId: (name) => name,
  extraKeys: {},
  versions: specVersions,
  params: (version) => version.specParams,
  submitted(activity, at) {
    if (answersAnother(activity)) return envelope(text, reference('ActivityStatus'), closed({ activity: anyActivity }));
    const { name, intent, result } = activity;
    const type = { enum: specification.versions(activity).map((version) => version.type) };
    const recorded = closed({
      type,
      intent: closed({ [`${name}Intent`]: at(intent) }),
      // Empty until the activity is complete.
      result: closed({ [`${name}Result`]: at(result) }, [`${name}Result`]),
    });
    return envelope(type, reference('ActivityStatus'), closed({ activity: recorded }));
  },
  answered: ({ output }, at) =>
    envelope({ const: 'ACTIVITY_TYPE_UNKNOWN_V1' }, { const: 'ACTIVITY_STATUS_COMPLETED' }, at(output)),
};

const compatible: Dialect = {
  base: '/compat/turnkey',
  errors: 'CompatibleError',
  operationId: (name) => `compatible${capital(name)}`,
  extraKeys: { generateAppProofs: { type: 'boolean', description: 'Accepted and ignored' } },
  versions: ({ versions }) => versions,
  params: (version) => version.params,
  submitted: (activity, at) => ({
    type: 'object',
    properties: {
      activity: answersAnother(activity)
        ? reference('Activity')
        : { oneOf: activity.versions.map((version) => compatibleActivity(activity, version, at)) },
    },
    required: ['activity'],
  }),
  answered: ({ output }, at) => at(output),
};

/** The two renderings of the same operations: the specification's envelope, and the one that existing SDKs read. */
export const dialects: readonly Dialect[] = [specification, compatible];

function envelope(type: Json, status: Json, result: Json): Json {
  return closed({ activity: closed({ id: text, status, type, organizationId: text, timestampMs: text, result }) });
}

function compatibleActivity({ name, versions, result }: ActivityDefinition, version: ActivityVersion, at: At): Json {
  // A version that shapes its result itself has code for it, not a schema.
  const ownResult = version.result === versions.at(-1)?.result ? at(result) : { type: 'object' };
  return {
    allOf: [
      reference('Activity'),
      {
        properties: {
          type: { const: version.type },
          intent: closed({ [intentKey(name, version.type)]: at(version.params) }),
          result: closed({ [version.resultKey]: ownResult }, [version.resultKey]),
        },
      },
    ],
  };
}
