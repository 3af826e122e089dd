import { queryCall, submitCall } from '@countersign/client';
import type { ActivityDefinition, QueryDefinition } from '@countersign/contract';
import type { z } from 'zod';
import { type FieldFlag, flagsOf } from './operation-flags.ts';

export type Definition = ActivityDefinition | QueryDefinition;

/** What an operation takes on the path that this program calls: the specification's. */
export function schemaOf(definition: Definition): z.ZodType {
  if (definition.kind === 'query') return definition.input;
  const current = definition.versions.find(({ type }) => type === definition.type);
  return current?.specParams ?? definition.params;
}

/** Flags for the fields of an operation. The organization of a query is the one of the connection. */
export function fieldsOf(definition: Definition): FieldFlag[] {
  return flagsOf(schemaOf(definition), definition.kind === 'query' ? ['organizationId'] : []);
}

/** The path that this program calls. */
export function pathOf(definition: Definition): string {
  const connection = { organizationId: '' };
  return (definition.kind === 'activity' ? submitCall(definition, {}, connection) : queryCall(definition, {}, connection)).path;
}
