import { execFileSync } from 'node:child_process';
import { checkSubject } from './commits/check-subject.ts';

/** npm run commits [-- <base>]: checks the subjects of all commits after a base commit. */
const FIRST_CHECKED_AFTER = '6fae669a5550c65ab0516d7128f8de77db891e23';
const base = process.argv[2] ?? FIRST_CHECKED_AFTER;

if (!hasCommit(base)) {
  console.log(`Commit subjects are not checked: this clone does not contain ${base}. Fetch the whole history to check them.`);
} else {
  const lines = git('log', '--no-merges', '--format=%h %s', `${base}..HEAD`).split('\n').filter(Boolean);
  const problems = lines.flatMap((line) => {
    const [, hash, subject = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    return checkSubject(subject).map((problem) => `${hash} "${subject}" ${problem}`);
  });
  for (const problem of problems) console.error(problem);
  console.log(`${lines.length} commits checked, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}

function hasCommit(commit: string): boolean {
  try {
    git('merge-base', '--is-ancestor', commit, 'HEAD');
    return true;
  } catch {
    return false; // A shallow clone, an archive without history, or another base.
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
