import { activities, queries } from '@countersign/contract';
import { type Definition, fieldsOf, namesOrganization, pathOf, schemaOf } from './operation.ts';
import { type OperationEntry, UNKNOWN_ORGANIZATION } from './operation-entry.ts';
import { exampleText, operationExample } from './operation-example.ts';

/** What the command of an operation needs. The parts that take longer are made when they are read. */
function entryOf(definition: Definition): OperationEntry {
  const { kind, name, path, subject, summary } = definition;
  return {
    kind,
    name,
    path,
    type: definition.kind === 'activity' ? definition.type : '',
    subject,
    summary,
    get requestPath() {
      return pathOf(definition);
    },
    get namesOrganization() {
      return namesOrganization(definition);
    },
    get needsNothing() {
      return schemaOf(definition).safeParse(namesOrganization(definition) ? { organizationId: UNKNOWN_ORGANIZATION } : {})
        .success;
    },
    get fields() {
      return fieldsOf(definition);
    },
    get example() {
      return exampleText(operationExample(definition, fieldsOf(definition)));
    },
  };
}

/** All operations. In the bundle this module is data. */
export const operationEntries: readonly OperationEntry[] = [...Object.values(activities), ...Object.values(queries)].map(entryOf);
