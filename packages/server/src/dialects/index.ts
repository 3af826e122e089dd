import { basePaths, type DialectName } from '@countersign/contract';
import type { Dialect } from './dialect.ts';
import { spec } from './spec.ts';
import { turnkey } from './turnkey.ts';

/** How to render every dialect. Complete by construction: a dialect of the contract without a rendering does not compile. */
const renderedDialects: Readonly<Record<DialectName, Dialect>> = { spec, turnkey };

/**
 * Every dialect at the base path where the service has it. Where the compatible one has the root, its usual base path stays: clients that
 * were pointed there go on working.
 */
export function dialectsAt(compatibleAtRoot: boolean): readonly Dialect[] {
  const at = basePaths(compatibleAtRoot);
  const moved = [
    { ...renderedDialects.spec, basePath: at.spec },
    { ...renderedDialects.turnkey, basePath: at.turnkey },
  ];
  return compatibleAtRoot ? [...moved, renderedDialects.turnkey] : moved;
}
