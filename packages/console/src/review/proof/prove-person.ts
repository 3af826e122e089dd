import type { ListedActivity } from '@countersign/client';
import type { Person } from '../person.ts';
import type { Statement } from './prove-activity.ts';
import { isSameKey, isStampValid } from './verify-vote.ts';

export type Vote = Pick<ListedActivity['votes'][number], 'userId' | 'user' | 'message' | 'publicKey' | 'signature' | 'scheme'>;

/** What the evidence states about the record with an id. */
type About = (id: string) => Promise<readonly Statement[]>;

const isCredential = (kind: string | undefined) => kind === 'apiKey' || kind === 'authenticator';
/** Whether this browser can verify a stamp depends on the domain of a passkey, but not for API keys. */
const BY_API_KEY = /^SIGNATURE_SCHEME_TK_API_/;

/**
 * Proves the name of the person who stamped a request or a vote: the log has a record of this user with this name, and one that the key of the
 * stamp is a credential of this user.
 * SECURITY: D1111: an altered response would have a request of a thief asked for by the CFO. Evidence that is missing proves nothing, and
 * evidence for another name or another user shows that the response was altered.
 */
export async function provePerson({ userId, user, ...stamp }: Vote, about: About): Promise<Person> {
  const { publicKey } = stamp;
  const { userName: name } = user;
  const [ofUser, ofKey] = await Promise.all([about(userId), about(publicKey)]);
  const names = ofUser.flatMap(({ changes, isProven }) =>
    changes.flatMap((each) => (each.put === 'user' && each.id === userId ? [{ name: each.body?.userName, isProven }] : [])),
  );
  const owners = [...ofUser, ...ofKey].flatMap(({ changes, isProven }) =>
    changes.flatMap(({ put, body }) =>
      isProven && isCredential(put) && isSameKey(String(body?.publicKey), publicKey) ? [body?.userId] : [],
    ),
  );
  // The message of a request that contains a secret is hidden.
  const isStamped = stamp.message !== '' && isStampValid(stamp);
  const isNamed = names.some((each) => each.isProven && each.name === name);
  const isOwner = owners.includes(userId);
  const isAltered =
    (names.length > 0 && !isNamed) ||
    (owners.length > 0 && !isOwner) ||
    (stamp.message !== '' && !isStamped && BY_API_KEY.test(stamp.scheme));
  const state = isAltered ? 'altered' : isNamed && isOwner && isStamped ? 'proven' : 'unproven';
  return { userId, name, publicKey, state };
}
