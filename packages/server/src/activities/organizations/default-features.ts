import type { Feature } from '../../organizations/records.ts';

/** What a request may leave off. */
interface Switches {
  readonly disableEmailAuth?: boolean | undefined;
  readonly disableEmailRecovery?: boolean | undefined;
  readonly disableOtpEmailAuth?: boolean | undefined;
}

/** The features that a new organization begins with. Text messages are off unless an operator turns them on. */
export function defaultFeatures({ disableEmailAuth, disableEmailRecovery, disableOtpEmailAuth }: Switches): Feature[] {
  const on: [string, boolean | undefined][] = [
    ['FEATURE_NAME_EMAIL_AUTH', disableEmailAuth],
    ['FEATURE_NAME_EMAIL_RECOVERY', disableEmailRecovery],
    ['FEATURE_NAME_OTP_EMAIL_AUTH', disableOtpEmailAuth],
  ];
  return on.filter(([, disabled]) => disabled !== true).map(([name]) => ({ name }));
}
