import type { Context } from './context.ts';
import { ownVariables } from './own-variables.ts';

/** Throws for a misspelt variable and suggests the nearest known name. */
export async function checkEnvironment({ environment }: Context): Promise<void> {
  // Other names cannot be misspelt names of ours, and need no settings to compare with.
  const isChecked = (name: string) => /COUNTER|SIGN_/i.test(name) && !ownVariables.has(name);
  if (Object.keys(environment).some(isChecked)) (await import('./known-variables.ts')).refuseMisspelt(environment);
}
