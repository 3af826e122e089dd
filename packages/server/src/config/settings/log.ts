import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { whole } from '../setting-values.ts';
import { witnesses } from '../witnesses.ts';

/** The transparency log and its witnesses. */
export const logSettings = {
  logOrigin: {
    schema: z
      .string()
      .max(200)
      .regex(/^[!-*,-~]+$/, 'must be printable ASCII without spaces and plus signs')
      .refine((name) => !name.startsWith('cosignature/'), 'must not begin with cosignature/'),
    describe:
      "Name of the installation's log in its signed checkpoints, such as a host and a path; countersign/<id of the first organization> if it is not set. It names the key too, so do not change it later",
  },
  logAnchor: {
    schema: z.string().min(1),
    describe: 'Second file for the last checkpoint of the log, outside the data directory, for example on another disk',
  },
  witnesses: {
    schema: witnesses,
    default: '',
    describe:
      "Witnesses that cosign the checkpoints of the log, comma-separated: address, # and the key that 'countersign witness' prints",
    form: 'list',
  },
  requireWitness: {
    schema: whole(10, 86_400),
    describe:
      'Suspend requests if no witness has confirmed the log within this many seconds; without it, a silent witness is only logged',
  },
  logAlarmSeconds: {
    schema: whole(1, 3_600),
    default: '5',
    describe: 'Raise an alarm if an activity that this server executed is not in the log after this many seconds',
  },
  logStopSeconds: {
    schema: whole(5, 86_400),
    default: '30',
    describe:
      'Suspend requests if an activity that this server executed is not in the log after this many seconds; they continue once it is',
  },
} as const satisfies Record<string, Setting>;
