import { queryCall, submitCall } from '@countersign/client';
import { type ActivityDefinition, dialects, type QueryDefinition } from '@countersign/contract';
import { z } from 'zod';
import { flagsOf } from './field-flags.ts';
import type { FieldFlag } from './operation-flags.ts';

export type Definition = ActivityDefinition | QueryDefinition;

/** Input schema of an operation on the specification's path, which this program calls. */
export function schemaOf(definition: Definition): z.ZodType {
  if (definition.kind === 'query') return definition.input;
  const current = definition.versions.find(({ type }) => type === definition.type);
  return current === undefined ? definition.params : dialects.spec.paramsOf(current).schema;
}

/** Flags for the fields of an operation. The connection provides the organization. */
export function fieldsOf(definition: Definition): FieldFlag[] {
  return flagsOf(schemaOf(definition), ['organizationId']);
}

/** Whether the parameters contain the organization, as in every query. */
export function namesOrganization(definition: Definition): boolean {
  const schema = schemaOf(definition);
  return definition.kind === 'query' || (schema instanceof z.ZodObject && 'organizationId' in schema.shape);
}

/** Path that this program calls. */
export function pathOf(definition: Definition): string {
  const connection = { organizationId: '' };
  return (definition.kind === 'activity' ? submitCall(definition, {}, connection) : queryCall(definition, {}, connection)).path;
}
