import type { DialectName } from '@countersign/contract';
import type { Dialect } from './dialect.ts';
import { spec } from './spec.ts';
import { turnkey } from './turnkey.ts';

/** How to render every dialect. Complete by construction: a dialect of the contract without a rendering does not compile. */
export const renderedDialects: Readonly<Record<DialectName, Dialect>> = { spec, turnkey };
