import { basePaths, type DialectName } from '@countersign/contract';
import type { Dialect } from './dialect.ts';
import { spec } from './spec.ts';
import { turnkey } from './turnkey.ts';

/** The rendering of every dialect. A dialect of the contract without a rendering does not compile. */
const renderedDialects: Readonly<Record<DialectName, Dialect>> = { spec, turnkey };

/** Every dialect at its base path. If the compatible dialect is at the root, its usual base path stays available for existing clients. */
export function dialectsAt(compatibleAtRoot: boolean): readonly Dialect[] {
  const at = basePaths(compatibleAtRoot);
  const moved = [
    { ...renderedDialects.spec, basePath: at.spec },
    { ...renderedDialects.turnkey, basePath: at.turnkey },
  ];
  return compatibleAtRoot ? [...moved, renderedDialects.turnkey] : moved;
}
