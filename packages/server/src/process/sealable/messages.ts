import type { Config } from '../../config/settings.ts';

/** The exit code of a process that was sealed. */
export const SEALED_CODE = 86;

/** The first message to the process of a service whose root key is in shares. Others are those of a worker. */
export interface StartSealable {
  readonly kind: 'start';
  readonly config: Config;
  readonly port: number;
  readonly isThrowAway: boolean;
}

/** The service was unsealed, and serves. */
export interface Opened<Facts> {
  readonly kind: 'opened';
  readonly facts: Facts;
}
