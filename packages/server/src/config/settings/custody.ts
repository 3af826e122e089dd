import { z } from 'zod';
import { allRootKeySettings } from '../root-key-settings.ts';
import type { Setting } from '../setting.ts';
import { whole } from '../setting-values.ts';

/** Where the root key is, and what happens without it. */
export const custodySettings = {
  ...allRootKeySettings,
  rootKeyGraceSeconds: {
    schema: whole(0, 86_400),
    default: '60',
    describe:
      'How long the service signs with data keys in its memory after a root key in a token or another service was lost; then it wipes them and responds with 503 until the root key returns. 0 stops immediately',
  },
  bindMachine: {
    schema: z.enum(['off', 'machine-id', 'tpm'], 'must be off, machine-id or tpm'),
    default: 'off',
    describe:
      'Bind the data directory to this machine, so that a copy of it does not start on another one: off, machine-id (/etc/machine-id) or tpm (endorsement key, read with tpm2_createek)',
  },
} as const satisfies Record<string, Setting>;
