import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addAuditExport } from './audit-export.ts';
import { addAuditMonitor } from './audit-monitor.ts';
import { addAuditRootProof } from './audit-root-proof.ts';
import { addAuditVerify } from './audit-verify.ts';

/** `audit`: files that prove the activities of an organization. */
export function addAudit(program: Command, context: Context): void {
  const command = program
    .command('audit')
    .helpGroup('Activities:')
    .summary('Export activities with proofs, or verify such a file');
  addAuditExport(command, context);
  addAuditVerify(command, context);
  addAuditRootProof(command, context);
  addAuditMonitor(command, context);
}
