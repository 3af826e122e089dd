import { z } from 'zod';
import { activities } from '../activities/index.ts';
import { type ActivityDefinition, type QueryDefinition, versionNumber } from '../define.ts';
import { queries } from '../queries/index.ts';
import { activityDetails } from '../shapes/activity.ts';
import { activityStatus } from '../shapes/activity-status.ts';
import { organizationId } from '../shapes/primitives.ts';
import { capital, componentPrefix, type Json, reference } from './json.ts';

/** The reference to a schema of an operation. */
export type At = (schema: z.ZodType) => Json;

/** Every schema of the contract as a component of the document, and a way to refer to each. */
export function componentSchemas(): { schemas: Record<string, Json>; at: At } {
  const named = operationSchemas();
  const table = Object.fromEntries([...named].map(([schema, name]) => [name, schema]));
  // One conversion for all: a shape that operations share is then shared in the document too.
  const { properties = {}, $defs = {} } = z.toJSONSchema(z.object(table), { target: 'draft-2020-12', io: 'input' });
  const sharedName = (name: string) => {
    const converted = properties[name];
    return typeof converted === 'object' ? converted.$ref?.replace('#/$defs/', '') : undefined;
  };
  const own = Object.entries(properties).filter(([name]) => sharedName(name) === undefined);
  for (const [name] of own) if (name in $defs) throw new Error(`two schemas are called ${name}`);
  const text = JSON.stringify({ ...$defs, ...Object.fromEntries(own) });
  return {
    schemas: JSON.parse(text, (key, value) => (key === '$ref' ? value.replace('#/$defs/', componentPrefix) : value)),
    at(schema) {
      const name = named.get(schema);
      if (name === undefined) throw new Error('a schema of an operation is missing from the document');
      return reference(sharedName(name) ?? name);
    },
  };
}

/** Every schema that the document needs, with a generated name for those without an id. */
function operationSchemas(): ReadonlyMap<z.ZodType, string> {
  const named = new Map<z.ZodType, string>([
    [activityDetails, 'Activity'],
    [activityStatus, 'ActivityStatus'],
    [organizationId, 'OrganizationId'],
  ]);
  const add = (schema: z.ZodType, name: string) => {
    if (!named.has(schema)) named.set(schema, name);
  };
  for (const activity of Object.values<ActivityDefinition>(activities)) {
    for (const { type, params, specParams } of activity.versions) {
      const name = `${capital(activity.name)}V${versionNumber(type)}Params`;
      add(specParams.schema, name);
      add(params.schema, `Compatible${name}`);
    }
    add(activity.intent, `${capital(activity.name)}Intent`);
    add(activity.result, `${capital(activity.name)}Result`);
  }
  for (const query of Object.values<QueryDefinition>(queries)) {
    add(query.input, `${capital(query.name)}Input`);
    add(query.output, `${capital(query.name)}Output`);
  }
  return named;
}
