import { type ActivityDefinition, type ActivityVersion, intentKey, type QueryDefinition } from '../define.ts';
import { type DialectDefinition, type DialectName, dialects } from '../dialects.ts';
import { capital, closed, type Json, reference } from './json.ts';
import type { At } from './schemas.ts';

/** How the document describes a dialect. */
export interface DescribedDialect extends DialectDefinition {
  readonly errors: 'Error' | 'CompatibleError';
  readonly operationId: (name: string) => string;
  readonly submitted: (activity: ActivityDefinition, at: At) => Json;
  readonly answered: (query: QueryDefinition, at: At) => Json;
}

const text: Json = { type: 'string' };

/** The response to a vote is the activity that was voted on, which has another type. */
const answersAnother = ({ subject }: ActivityDefinition) => subject === 'consensus';
const anyActivity = closed({ type: text, intent: { type: 'object' }, result: { type: 'object' } });

const described: Readonly<Record<DialectName, DescribedDialect>> = {
  spec: {
    ...dialects.spec,
    errors: 'Error',
    operationId: (name) => name,
    submitted(activity, at) {
      if (answersAnother(activity)) return envelope(text, reference('ActivityStatus'), closed({ activity: anyActivity }));
      const { name, intent, result } = activity;
      const type = { enum: dialects.spec.acceptedVersions(activity).map((version) => version.type) };
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
  },
  turnkey: {
    ...dialects.turnkey,
    errors: 'CompatibleError',
    operationId: (name) => `compatible${capital(name)}`,
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
  },
};

/** Every dialect, as the document describes it, at its base path. */
export function describeDialects(at: Readonly<Record<DialectName, string>>): readonly DescribedDialect[] {
  return [
    { ...described.spec, basePath: at.spec },
    { ...described.turnkey, basePath: at.turnkey },
  ];
}

function envelope(type: Json, status: Json, result: Json): Json {
  return closed({ activity: closed({ id: text, status, type, organizationId: text, timestampMs: text, result }) });
}

function compatibleActivity({ name, result }: ActivityDefinition, version: ActivityVersion, at: At): Json {
  // A version that shapes its result itself has code for it, not a schema.
  const ownResult = version.result === undefined ? at(result) : { type: 'object' };
  return {
    allOf: [
      reference('Activity'),
      {
        properties: {
          type: { const: version.type },
          intent: closed({ [intentKey(name, version.type)]: at(version.params.schema) }),
          result: closed({ [version.resultKey]: ownResult }, [version.resultKey]),
        },
      },
    ],
  };
}
