import { keys } from './keys.js';
import { organizations } from './organizations.js';
import { policies } from './policies.js';
import { signIn } from './sign-in.js';
import { transfer } from './transfer.js';
import { users } from './users.js';

/** Every method that works, with the call that shows it. */
export const cases = { ...organizations, ...users, ...keys, ...policies, ...signIn, ...transfer };

/** Methods whose operation is served, but not in the version that this client sends. */
export const missing = {
  initOtp: 'the server takes ACTIVITY_TYPE_INIT_OTP, where the code is not encrypted to it',
  verifyOtp: 'the server takes ACTIVITY_TYPE_VERIFY_OTP, with the code itself',
};
