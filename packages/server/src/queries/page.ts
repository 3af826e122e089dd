import type { Page } from '../store/store.ts';

/** The page that pagination options ask for: 10 items by default, 100 at most. */
export function toPage(
  options: { limit?: string | undefined; before?: string | undefined; after?: string | undefined } = {},
): Page {
  const { limit = '10', before, after } = options;
  return { limit: Number(limit), ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
