import { chains } from './chains.js';
import { keys } from './keys.js';
import { oauth2 } from './oauth2.js';
import { organizations } from './organizations.js';
import { policies } from './policies.js';
import { secrets } from './secrets.js';
import { sessions } from './sessions.js';
import { signIn } from './sign-in.js';
import { transfer } from './transfer.js';
import { users } from './users.js';
import { webhooks } from './webhooks.js';

/** Every method that works, with the call that shows it. */
export const cases = {
  ...organizations,
  ...users,
  ...keys,
  ...chains,
  ...policies,
  ...signIn,
  ...oauth2,
  ...sessions,
  ...transfer,
  ...secrets,
  ...webhooks,
};

/** Methods whose operation is served, but not in the version that this client sends. */
export const missing = {};
