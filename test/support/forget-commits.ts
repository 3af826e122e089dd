import { rmSync } from 'node:fs';
import { paths } from '../../packages/server/src/service.ts';
import type { Installation } from './installation.ts';

/** Lets the next service start as one on another machine would: it has noted no commits, so it notices what is left to notice. */
export function forgetCommits({ config }: Pick<Installation, 'config'>): void {
  rmSync(paths.commitNotes(config), { force: true });
}
