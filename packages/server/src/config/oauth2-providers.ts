import { z } from 'zod';
import { addressProblem, parseList } from './trusted-issuers.ts';

/** An OAuth 2 provider that organizations may register clients of. */
export interface Oauth2Provider {
  /** Its name on the wire, such as `OAUTH2_PROVIDER_X`. */
  readonly provider: string;
  /** Where the server exchanges codes for access tokens (RFC 6749 section 4.1.3). */
  readonly tokenEndpoint: string;
  /** Where an access token shows the person. */
  readonly userinfoEndpoint: string;
  /** The member of the response that identifies the person, with dots between the names of nested objects. */
  readonly subject: string;
  /** How the server authenticates to the token endpoint. */
  readonly clientAuthentication: 'basic' | 'post';
  /** The provider is inside the network: its host may have a private address, and a loopback host may use plain HTTP. */
  readonly allowPrivateAddress: boolean;
}

const EXAMPLE = '[{"provider":"OAUTH2_PROVIDER_DISCORD"}]';

type Endpoints = Pick<Oauth2Provider, 'tokenEndpoint' | 'userinfoEndpoint' | 'subject' | 'clientAuthentication'>;

/** The providers that published clients know. Their names alone suffice. */
const known: Readonly<Record<string, Endpoints>> = {
  // https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
  OAUTH2_PROVIDER_X: {
    tokenEndpoint: 'https://api.x.com/2/oauth2/token',
    userinfoEndpoint: 'https://api.x.com/2/users/me',
    subject: 'data.id',
    clientAuthentication: 'basic',
  },
  // https://discord.com/developers/docs/topics/oauth2
  OAUTH2_PROVIDER_DISCORD: {
    tokenEndpoint: 'https://discord.com/api/oauth2/token',
    userinfoEndpoint: 'https://discord.com/api/users/@me',
    subject: 'id',
    clientAuthentication: 'post',
  },
};

const address = z.string().min(1).max(2048);

const oauth2Provider = z
  .strictObject({
    provider: z
      .string()
      .max(64)
      .regex(/^OAUTH2_PROVIDER_[A-Z][A-Z0-9_]*$/, 'must be a name such as OAUTH2_PROVIDER_X'),
    tokenEndpoint: address.exactOptional(),
    userinfoEndpoint: address.exactOptional(),
    subject: z
      .string()
      .max(255)
      .regex(/^\w+(\.\w+)*$/, 'must be the name of a member, such as sub or data.id')
      .exactOptional(),
    clientAuthentication: z.enum(['basic', 'post']).exactOptional(),
    allowPrivateAddress: z.boolean().default(false),
  })
  .transform((given, context): Oauth2Provider => {
    const standard = { subject: 'sub', clientAuthentication: 'basic' as const };
    const { tokenEndpoint, userinfoEndpoint, ...rest } = { ...standard, ...known[given.provider], ...given };
    const refuse = (field: string, message: string | undefined) => {
      if (message !== undefined) context.addIssue({ code: 'custom', path: [field], message });
    };
    if (tokenEndpoint === undefined || userinfoEndpoint === undefined) {
      refuse('tokenEndpoint', `and userinfoEndpoint are required for a provider other than ${Object.keys(known).join(' and ')}`);
      return z.NEVER;
    }
    refuse('tokenEndpoint', addressProblem(tokenEndpoint, given.allowPrivateAddress));
    refuse('userinfoEndpoint', addressProblem(userinfoEndpoint, given.allowPrivateAddress));
    return { ...rest, tokenEndpoint, userinfoEndpoint };
  });

/** The setting for OAuth 2 providers: a JSON array. An empty string or array lists none. */
export const oauth2Providers = z
  .string()
  .transform((text, context): readonly Oauth2Provider[] =>
    parseList(text, context, { entry: oauth2Provider, example: EXAMPLE, keyOf: ({ provider }) => provider, what: 'a provider' }),
  );
