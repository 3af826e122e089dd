import { rmSync } from 'node:fs';
import { paths } from '../../packages/server/src/config/paths.ts';
import type { Installation } from './installation.ts';

/** Removes the high-water marks of commits, so that the next service starts as on another machine. */
export function forgetCommits({ config }: Pick<Installation, 'config'>): void {
  rmSync(paths.lastCommits(config), { force: true });
}
