import type { NamedTag } from '@countersign/policy';
import type { Draft } from './draft.ts';

/**
 * The draft with ids in place of the names of tags.
 * SECURITY: D445: before the request is stamped. A name that cannot be resolved is kept, and the service rejects it.
 */
export async function withTagIds(draft: Draft, tags: readonly NamedTag[] = []): Promise<Draft> {
  // The policy language loads with the editor.
  await import('./editor/no-jit.ts');
  const { resolveTags } = await import('@countersign/policy');
  return {
    ...draft,
    condition: resolveTags(draft.condition, tags).text,
    consensus: resolveTags(draft.consensus, tags).text,
  };
}
