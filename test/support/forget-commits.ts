import { rmSync } from 'node:fs';
import { paths } from '../../packages/server/src/config/paths.ts';
import type { Installation } from './installation.ts';

/** Removes the recorded commits, so that the next service starts as on another machine. */
export function forgetCommits({ config }: Pick<Installation, 'config'>): void {
  rmSync(paths.commits(config), { recursive: true, force: true });
}
