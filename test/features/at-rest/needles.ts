import { randomInt } from 'node:crypto';
import type { ActivityDefinition, activities } from '@countersign/contract';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { pushSubscriptionParams } from '../../support/activity-params.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Caller, resultOf } from '../../support/caller.ts';
import { subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

/** Values that occur nowhere else, to search bytes for. */
export class Needles {
  readonly texts: string[] = [];

  email(): string {
    return `${this.#add(`needle-${this.#next()}`)}@People.example`;
  }

  phone(): string {
    return `+${this.#add(`4915${randomInt(10 ** 8, 10 ** 9)}`)}`;
  }

  url(origin = 'https://127.0.0.9:9'): string {
    return `${origin}/hook/${this.#add(`token-${this.#next()}`)}?key=${this.#add(`key-${this.#next()}`)}`;
  }

  /** The texts that occur in the bytes, in any case. */
  foundIn(bytes: Buffer): string[] {
    const text = bytes.toString('latin1').toLowerCase();
    return this.texts.filter((needle) => text.includes(needle));
  }

  #next(): string {
    return `${this.texts.length}x${randomInt(10 ** 8, 10 ** 9)}`;
  }

  #add(text: string): string {
    this.texts.push(text);
    return text;
  }
}

type Name = keyof typeof activities;

/** A request with contacts for every activity that takes one: the caller, and the parameters. */
export function contactRequests(root: Caller, rootUserId: string, needles: Needles): Partial<Record<Name, () => Promise<void>>> {
  const send = (name: Name, params: object) => async () => void (await root.result(name, params));
  const contact = { otpType: 'OTP_TYPE_EMAIL', contact: needles.email() };
  const person = () => ({ userEmail: needles.email(), userPhoneNumber: needles.phone() });
  const newUser = async () => {
    const users = [{ ...userParams(newApiKey()), ...person() }];
    const { userIds } = await root.result('createUsers', { users });
    return { userId: userIds[0] as string, email: users[0]?.userEmail as string };
  };
  return {
    createUsers: async () => void (await newUser()),
    createApiOnlyUsers: send('createApiOnlyUsers', {
      apiOnlyUsers: [
        {
          userName: uniqueName('User'),
          userEmail: needles.email(),
          userTags: [],
          apiKeys: [{ apiKeyName: uniqueName('Key'), publicKey: newApiKey().publicKey }],
        },
      ],
    }),
    createSubOrganization: async () => {
      const params = subOrganizationParams(newApiKey());
      const rootUsers = params.rootUsers.map((user) => ({ ...user, ...person() }));
      await root.result('createSubOrganization', { ...params, rootUsers });
    },
    createOrganization: send('createOrganization', {
      organizationName: uniqueName('Organization'),
      rootEmail: needles.email(),
      rootAuthenticator: passkeyParams(new SoftwareAuthenticator()),
    }),
    updateUser: async () => {
      const { userId } = await newUser();
      await root.result('updateUser', { userId, userEmail: needles.email(), userPhoneNumber: needles.phone() });
    },
    updateUserEmail: async () => {
      const { userId } = await newUser();
      await root.result('updateUserEmail', { userId, userEmail: needles.email() });
    },
    updateUserPhoneNumber: async () => {
      const { userId } = await newUser();
      await root.result('updateUserPhoneNumber', { userId, userPhoneNumber: needles.phone() });
    },
    createInvitations: send('createInvitations', {
      invitations: [
        {
          receiverUserName: uniqueName('Invited'),
          receiverUserEmail: needles.email(),
          receiverUserTags: [],
          accessType: 'ACCESS_TYPE_WEB',
          senderUserId: rootUserId,
        },
      ],
    }),
    emailAuth: async () => {
      const { email } = await newUser();
      await root.result('emailAuth', { email, targetPublicKey: newTarget().hex, replyToEmailAddress: needles.email() });
    },
    initUserEmailRecovery: async () => {
      const { email } = await newUser();
      await root.result('initUserEmailRecovery', { email, targetPublicKey: newTarget().hex });
    },
    createReadWriteSession: async () => {
      const { email } = await newUser();
      const params = { targetPublicKey: newTarget().hex, email, apiKeyName: uniqueName('Session') };
      const type = 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION';
      resultOf(await root.with({ dialect: 'turnkey' }).submit('createReadWriteSession', params, { type }));
    },
    initOtp: send('initOtp', { ...contact, replyToEmailAddress: needles.email() }),
    initOtpAuth: async () => {
      const { email } = await newUser();
      await root.result('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: email });
    },
    updateAuthProxyConfig: send('updateAuthProxyConfig', { replyToEmailAddress: needles.email() }),
    createWebhookEndpoint: send('createWebhookEndpoint', { url: needles.url(), name: uniqueName('Hook') }),
    updateWebhookEndpoint: async () => {
      const { endpointId } = await root.result('createWebhookEndpoint', { url: needles.url(), name: uniqueName('Hook') });
      await root.result('updateWebhookEndpoint', { endpointId, url: needles.url() });
    },
    createPushSubscription: send('createPushSubscription', {
      ...pushSubscriptionParams(),
      endpoint: needles.url(new URL(pushSubscriptionParams().endpoint).origin),
    }),
    setPaymentMethod: send('setPaymentMethod', {
      paymentMethodId: uniqueName('pm'),
      cardHolderEmail: needles.email(),
      cardHolderName: 'Ada',
    }),
    setOrganizationFeature: send('setOrganizationFeature', { name: 'FEATURE_NAME_WEBHOOK', value: needles.url() }),
    removeOrganizationFeature: async () => {
      await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_WEBHOOK', value: needles.url() });
      await root.result('removeOrganizationFeature', { name: 'FEATURE_NAME_EMAIL_RECOVERY' });
    },
  };
}

/** The schemas of every value that an activity takes or gives. */
export function schemasOf({ input, intent, result, versions }: ActivityDefinition) {
  return [input, intent, result, ...versions.map(({ params }) => params.schema)];
}
