import type { QueryDefinition } from '../define.ts';

/** The kind of a query in policies: `LIST_WALLETS` for `list_wallets`. */
export function queryKind({ path }: Pick<QueryDefinition, 'path'>): string {
  return path.toUpperCase();
}
