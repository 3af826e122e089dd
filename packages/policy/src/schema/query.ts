import { t } from '../types.ts';
import type { Namespace } from './namespace.ts';

/** `query.organization` */
export const queryOrganization: Namespace = {
  path: 'query.organization',
  field: 'condition',
  type: t.word('query.organization', ['OWN_ORGANIZATION', 'SUB_ORGANIZATION']),
  doc: 'Whether a query reads the organization of its caller, or a sub-organization of it. Activities do not have it',
  example: "activity.action == 'READ' && query.organization == 'SUB_ORGANIZATION'",
  // No kind of activity has it. Only the decision on a query provides it.
  onlyIn: new Set(),
};
