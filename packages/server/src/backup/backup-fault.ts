import { OperatorFault } from '@countersign/contract';

/** A backup or an archive cannot be made, read or restored. */
export class BackupFault extends OperatorFault {
  override readonly name = 'BackupFault';
}

/** For a file that is cut, changed or of another kind. */
export function damaged(file: string, what: string, options?: ErrorOptions): BackupFault {
  return new BackupFault(`${file} cannot be used: ${what}.`, 'Use another copy of it, or an earlier one.', options);
}
