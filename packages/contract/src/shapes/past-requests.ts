import { z } from 'zod';
import { unknownReason } from './backtest.ts';
import { effect } from './policies.ts';
import { timestamp } from './primitives.ts';

const text = z.string();

/** The people, policies and contacts that past activities were judged with. */
export const pastState = z
  .object({
    users: z.array(
      z.object({
        id: text,
        tags: z.array(text),
        email: text.optional(),
        alias: text,
        credentialType: text.optional(),
      }),
    ),
    rootQuorum: z.object({ threshold: z.int(), userIds: z.array(text) }),
    policies: z.array(
      z.object({
        policyId: text,
        policyName: text,
        effect,
        condition: text.optional(),
        consensus: text.optional(),
        time: text.optional(),
      }),
    ),
    contacts: z.object({ all: z.array(text), tagged: z.record(text, z.array(text)) }),
  })
  .meta({ id: 'PastState' });

/** A past activity as policies saw it. */
export const pastRequest = z
  .object({
    activityId: text,
    type: text,
    userId: text.describe('Who submitted it'),
    createdAt: timestamp,
    decidedAtMs: text,
    decided: z.enum(['ALLOW', 'DENY', 'NEEDS_CONSENSUS']),
    by: text.optional(),
    approvers: z
      .array(z.object({ userId: text, credentialType: text }))
      .describe('The submitter first, then everyone whose approval counted'),
    parameters: z.record(text, z.unknown()).describe('The parameters that policies see, in the current version'),
    namespaces: z.record(text, z.unknown()).describe('What policies see: integers as {"$int": "5"}, maps as {"$map": {…}}'),
    state: z.int().describe('The number of the state that it was authorized with'),
  })
  .meta({ id: 'PastRequest' });

/** What could not be shown. */
export const pastUnknown = z.array(z.object({ reason: unknownReason, count: z.int(), activityIds: z.array(text) }));

export type PastStateShape = z.output<typeof pastState>;
export type PastRequestShape = z.output<typeof pastRequest>;
