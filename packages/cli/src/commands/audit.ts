import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addAuditExport } from './audit-export.ts';
import { addAuditVerify } from './audit-verify.ts';

/** `audit`: proofs of what an organization did, in a file. */
export function addAudit(program: Command, context: Context): void {
  const command = program
    .command('audit')
    .helpGroup('Activities:')
    .summary('Export what was done as a file that proves itself, or verify one');
  addAuditExport(command, context);
  addAuditVerify(command, context);
}
