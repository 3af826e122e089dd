import { relayedTypes } from '@countersign/contract';
import type { QuotaOwner } from '../../admission/index.ts';
import { effectiveLimits } from '../../config/limits.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../services.ts';

const publicTypes: ReadonlySet<string> = new Set(Object.values(relayedTypes));

/** The type of an activity, and the API key that stamped it. */
interface StampedType {
  readonly type: string;
  readonly publicKey: string | undefined;
}

/** The organization whose storage quota an activity uses: that of the user who sent it. */
export function quotaOwner(
  { limits, vault }: Pick<PipelineServices, 'limits' | 'vault'>,
  { target, home }: { readonly target: Snapshot; readonly home: Snapshot },
  { type, publicKey }: StampedType,
): QuotaOwner {
  return {
    target,
    home,
    limits: effectiveLimits(home, limits),
    isPublic: () => publicTypes.has(type) && publicKey === vault.service.signInKey(target.id),
  };
}
