import { OperatorError } from '@countersign/contract';

/** A backup or an archive cannot be created, read or restored. */
export class BackupError extends OperatorError {
  override readonly name = 'BackupError';
}

/** The error for a file that is truncated, modified or of another kind. */
export function damaged(file: string, what: string, options?: ErrorOptions): BackupError {
  return new BackupError(`${file} cannot be used: ${what}.`, 'Use another copy, or an earlier backup.', options);
}
