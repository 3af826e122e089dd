import { NO_BLIND_HASHES } from '@countersign/judgement';
import type { Feature } from '../../organizations/records.ts';

/** Features that a request can turn off. */
interface Switches {
  readonly disableEmailAuth?: boolean | undefined;
  readonly disableEmailRecovery?: boolean | undefined;
  readonly disableOtpEmailAuth?: boolean | undefined;
}

/** Returns the features of a new organization. Text messages are off until they are turned on and granted. */
export function defaultFeatures({ disableEmailAuth, disableEmailRecovery, disableOtpEmailAuth }: Switches): Feature[] {
  const on: [string, boolean | undefined][] = [
    ['FEATURE_NAME_EMAIL_AUTH', disableEmailAuth],
    ['FEATURE_NAME_EMAIL_RECOVERY', disableEmailRecovery],
    ['FEATURE_NAME_OTP_EMAIL_AUTH', disableOtpEmailAuth],
    [NO_BLIND_HASHES, false],
  ];
  return on.filter(([, disabled]) => disabled !== true).map(([name]) => ({ name }));
}
