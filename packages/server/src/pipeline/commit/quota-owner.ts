import { relayedTypes } from '@countersign/contract';
import type { Storing } from '../../admission/index.ts';
import { effectiveLimits } from '../../organizations/effective-limits.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PipelineServices } from '../services.ts';

const typesByAnybody: ReadonlySet<string> = new Set(Object.values(relayedTypes));

/** What an activity is, and the key that stamped it where an API key did. */
interface StampedType {
  readonly type: string;
  readonly publicKey: string | undefined;
}

/** Whose share of storage an activity takes from: that of the organization whose users sent it. */
export function storingBy(
  { limits, vault }: Pick<PipelineServices, 'limits' | 'vault'>,
  { target, home }: { readonly target: Snapshot; readonly home: Snapshot },
  { type, publicKey }: StampedType,
): Storing {
  return {
    target,
    home,
    limits: effectiveLimits(home, limits),
    byAnybody: () => typesByAnybody.has(type) && publicKey === vault.service.signInKey(target.id),
  };
}
