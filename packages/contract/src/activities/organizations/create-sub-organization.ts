import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { authenticatorParams, withCurve } from '../../shapes/credentials.ts';
import { privateKeyParams, privateKeyResult } from '../../shapes/keys.ts';
import { flag, label } from '../../shapes/primitives.ts';
import { rootUserParams, rootUserParamsV1, rootUserParamsV2, rootUserParamsV3, rootUserParamsV5 } from '../../shapes/users.ts';
import { clientSignature, verificationToken } from '../../shapes/verification.ts';
import { walletParams, walletResult } from '../../shapes/wallets.ts';

const members = <T extends z.ZodType>(item: T) =>
  z.array(item).min(1, 'must not be empty').max(100, 'must have at most 100 items');
const rootQuorumThreshold = z.int().min(1, 'must be at least 1').max(100);

const base = { subOrganizationName: label, rootQuorumThreshold };
const withWallet = { ...base, wallet: walletParams.optional(), disableEmailRecovery: flag, disableEmailAuth: flag };

const params = z.strictObject({
  ...withWallet,
  rootUsers: members(rootUserParams),
  disableSmsAuth: flag,
  disableOtpEmailAuth: flag,
  verificationToken: verificationToken
    .optional()
    .describe('A token from verify_otp in this organization. It must name a key and prove the contact of one of the root users'),
  clientSignature: clientSignature
    .optional()
    .describe('Required with verificationToken: a signature by its key over the contacts and credentials of this root user'),
});

const paramsV8 = params.extend({ rootUsers: members(rootUserParamsV5) });

/** The newest parameters, and the private keys of version 3. Later versions have a wallet instead. */
const input = paramsV8.extend({ privateKeys: z.array(privateKeyParams).optional().meta({ default: [] }) });

const result = z.object({
  subOrganizationId: z.string(),
  wallet: walletResult.optional(),
  privateKeys: z.array(privateKeyResult).optional(),
  rootUserIds: z.array(z.string()).optional(),
});

type Result = z.output<typeof result>;
type RootUser = z.output<typeof rootUserParamsV5>;

const idsOnly = ({ subOrganizationId, rootUserIds }: Result) => ({ subOrganizationId, rootUserIds });
const fromV1 = (user: z.output<typeof rootUserParamsV1>): RootUser => ({
  ...user,
  apiKeys: user.apiKeys.map(withCurve),
  oauthProviders: [],
});
const fromV2 = (user: z.output<typeof rootUserParamsV2>): RootUser => ({ ...user, apiKeys: user.apiKeys.map(withCurve) });

export const createSubOrganization = defineActivity({
  name: 'createSubOrganization',
  path: 'create_sub_organization',
  subject: 'organizations',
  summary: 'Create a sub-organization with root users and, optionally, a wallet',
  policy: { resource: 'ORGANIZATION', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
  spec: 'types',
  params,
  input,
  intent: input,
  result,
  resultKey: 'createSubOrganizationResultV7',
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION',
      params: z.strictObject({ name: label, rootAuthenticator: authenticatorParams }),
      upgrade: ({ name, rootAuthenticator }) => ({
        subOrganizationName: name,
        rootUsers: [{ userName: 'Root user', apiKeys: [], authenticators: [rootAuthenticator], oauthProviders: [] }],
        rootQuorumThreshold: 1,
      }),
      result: idsOnly,
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2',
      params: z.strictObject({ ...base, rootUsers: members(rootUserParamsV1) }),
      upgrade: (old) => ({ ...old, rootUsers: old.rootUsers.map(fromV1) }),
      result: idsOnly,
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3',
      params: z.strictObject({ ...base, rootUsers: members(rootUserParamsV1), privateKeys: z.array(privateKeyParams).max(100) }),
      upgrade: (old) => ({ ...old, rootUsers: old.rootUsers.map(fromV1) }),
      result: ({ privateKeys = [], ...rest }: Result) => ({ ...idsOnly(rest), privateKeys }),
      resultKey: 'createSubOrganizationResultV3',
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4',
      params: z.strictObject({ ...withWallet, rootUsers: members(rootUserParamsV1) }),
      upgrade: (old) => ({ ...old, rootUsers: old.rootUsers.map(fromV1) }),
      resultKey: 'createSubOrganizationResultV4',
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5',
      params: z.strictObject({ ...withWallet, rootUsers: members(rootUserParamsV2) }),
      upgrade: (old) => ({ ...old, rootUsers: old.rootUsers.map(fromV2) }),
      resultKey: 'createSubOrganizationResultV5',
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6',
      params: z.strictObject({ ...withWallet, rootUsers: members(rootUserParamsV3) }),
      upgrade: (old) => old,
      resultKey: 'createSubOrganizationResultV6',
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8',
      params: paramsV8,
      upgrade: (newer) => newer,
      resultKey: 'createSubOrganizationResultV8',
    }),
  ],
});
