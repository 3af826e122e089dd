import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { computeActivityFingerprint, generateP256KeyPair } from '@turnkey/crypto';
import { createActivityPoller, TurnkeyActivityError } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { checkFields } from '../support/check-fields.js';
import { guideCode, runCode } from '../support/guide-code.js';
import { PAGE_ORIGIN } from '../support/start-server.js';
import { post, submit } from '../support/submit.js';
import {
  apiKeyFor,
  connect,
  connectHttp,
  ethereumAccount,
  nameFor,
  newSubOrganization,
  newUser,
  newWallet,
  openWorld,
  rootKey,
} from '../support/world.js';

let world;

before(async () => {
  world = await openWorld();
});

after(() => world.close());

const tag = () => ({ userTagName: nameFor('tag'), userIds: [] });
const activity = (type, organizationId, parameters) => ({ type, timestampMs: String(Date.now()), organizationId, parameters });

describe('activities', () => {
  test('votes, fingerprint and dates match the request as it was sent', async () => {
    const { activity: made } = await world.client.createUserTag(tag());
    const { activity: read } = await world.client.getActivity({ activityId: made.id });
    checkFields(read, { canApprove: 'flag', canReject: 'flag', createdAt: 'time', updatedAt: 'time' });
    assert.equal(read.failure, null);
    const [vote] = read.votes;
    checkFields(vote, {
      id: 'id',
      userId: 'id',
      activityId: 'id',
      message: 'text',
      publicKey: 'text',
      signature: 'text',
      createdAt: 'time',
    });
    assert.deepEqual([vote.selection, vote.scheme], ['VOTE_SELECTION_APPROVED', 'SIGNATURE_SCHEME_TK_API_P256']);
    assert.equal(vote.user.userId, world.userId);
    assert.equal(read.fingerprint, computeActivityFingerprint(vote.message));
  });

  test('a repeated body is the same activity', async () => {
    const body = JSON.stringify(activity('ACTIVITY_TYPE_CREATE_USER_TAG', world.organizationId, tag()));
    const answers = [
      await post(world, '/public/v1/submit/create_user_tag', body),
      await post(world, '/public/v1/submit/create_user_tag', body),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(answers[0].body.activity.id, answers[1].body.activity.id);
  });

  test('a polling client gets the result of an activity once somebody approves it', async () => {
    const { id, clients, keys } = await newSubOrganization(world, { people: 2, threshold: 2 });
    const patient = new Turnkey({
      apiBaseUrl: world.server.compatibleUrl,
      apiPublicKey: keys[0].publicKey,
      apiPrivateKey: keys[0].privateKey,
      defaultOrganizationId: id,
      activityPoller: { intervalMs: 100, numRetries: 50 },
    }).apiClient();
    const waiting = patient.createUserTag(tag());
    const open = { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] };
    let found = [];
    while (found.length === 0) found = (await clients[1].getActivities(open)).activities;
    assert.deepEqual([found[0].canApprove, found[0].result], [true, {}]);
    await clients[1].approveActivity({ fingerprint: found[0].fingerprint });
    checkFields(await waiting, { userTagId: 'id' });
  });

  test('a client that stops polling early gets the current activity', async () => {
    const { clients } = await newSubOrganization(world, { people: 2, threshold: 2 });
    const answer = await clients[0].createUserTag(tag());
    assert.equal(answer.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(answer.userTagId, undefined);
  });

  test('createActivityPoller: the activity when it is complete, and its error when it needs others', async () => {
    const client = connectHttp(world.server);
    const poller = createActivityPoller({ client, requestFn: client.createUserTag });
    const made = await poller(activity('ACTIVITY_TYPE_CREATE_USER_TAG', world.organizationId, tag()));
    checkFields(made.result.createUserTagResult, { userTagId: 'id' });

    const { id, keys } = await newSubOrganization(world, { people: 2, threshold: 2 });
    const theirs = connectHttp(world.server, keys[0]);
    const needsOthers = createActivityPoller({ client: theirs, requestFn: theirs.createUserTag });
    await assert.rejects(needsOthers(activity('ACTIVITY_TYPE_CREATE_USER_TAG', id, tag())), (error) => {
      assert.ok(error instanceof TurnkeyActivityError);
      return error.activityStatus === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
    });
  });

  test('a signature is in the answer to the request: chain adapters do not poll', async () => {
    const { addresses } = await newWallet(world);
    const { activity: signed } = await connectHttp(world.server).signRawPayload(
      activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', world.organizationId, {
        signWith: addresses[0],
        payload: '00'.repeat(32),
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_NO_OP',
      }),
    );
    assert.equal(signed.status, 'ACTIVITY_STATUS_COMPLETED');
    checkFields(signed.result.signRawPayloadResult, { r: 'text', s: 'text', v: 'text' });
  });

  test('activities are found by the newest types too', async () => {
    await newUser(world);
    const { activities } = await world.client.getActivities({ filterByType: ['ACTIVITY_TYPE_CREATE_USERS_V4'] });
    assert.equal(activities[0].type, 'ACTIVITY_TYPE_CREATE_USERS_V4');
  });

  test('intent and result have the keys of the version that was sent', async () => {
    const rootUsers = [
      {
        userName: nameFor('root'),
        apiKeys: [{ apiKeyName: 'key', publicKey: generateP256KeyPair().publicKey }],
        authenticators: [],
      },
    ];
    const sent = {
      subOrganizationName: nameFor('old'),
      rootUsers,
      rootQuorumThreshold: 1,
      wallet: { walletName: 'first', accounts: [ethereumAccount] },
    };
    const answer = await post(
      world,
      '/public/v1/submit/create_sub_organization',
      activity('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4', world.organizationId, sent),
    );
    assert.deepEqual(answer.body.activity.intent, { createSubOrganizationIntentV4: sent });
    checkFields(answer.body.activity.result.createSubOrganizationResultV4, { subOrganizationId: 'id', rootUserIds: 'ids' });
    // Recorded responses of the hosted service have V8 under V8. Some published examples send V8 and read V7.
    for (const version of ['V7', 'V8']) {
      const keys = rootUsers[0].apiKeys.map((key) => ({ ...key, curveType: 'API_KEY_CURVE_P256' }));
      const users = [{ ...rootUsers[0], apiKeys: keys, oauthProviders: [] }];
      const { body } = await post(
        world,
        '/public/v1/submit/create_sub_organization',
        activity(`ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${version}`, world.organizationId, {
          ...sent,
          subOrganizationName: nameFor('new'),
          rootUsers: users,
        }),
      );
      assert.deepEqual(Object.keys(body.activity.result), [`createSubOrganizationResult${version}`]);
    }
  });
});

describe('requests', () => {
  test('null counts as an absent optional field, and generateAppProofs is ignored', async () => {
    const user = {
      userName: nameFor('user'),
      userEmail: null,
      userPhoneNumber: null,
      apiKeys: [],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    };
    const body = {
      ...activity('ACTIVITY_TYPE_CREATE_USERS_V4', world.organizationId, { users: [user] }),
      generateAppProofs: true,
    };
    const answer = await post(world, '/public/v1/submit/create_users', body);
    assert.equal(answer.status, 200);
    assert.equal('userEmail' in answer.body.activity.intent.createUsersIntentV4.users[0], false);
    assert.ok(await submit(world, 'create_user_tag', 'ACTIVITY_TYPE_CREATE_USER_TAG', tag()));
  });

  test('a base URL may end in a slash', async () => {
    const client = connect(world.server, world.organizationId, rootKey(world.server), `${world.server.compatibleUrl}/`);
    assert.equal((await client.getWhoami({})).userId, world.userId);
    assert.ok((await client.createUserTag(tag())).userTagId);
  });

  test('no Accept header is needed', async () => {
    const body = JSON.stringify({ organizationId: world.organizationId });
    const { stampHeaderName, stampHeaderValue } = await connectHttp(world.server).stamper.stamp(body);
    const sent = request(`${world.server.compatibleUrl}/public/v1/query/whoami`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [stampHeaderName]: stampHeaderValue },
    }).end(body);
    const [response] = await once(sent, 'response');
    response.resume();
    assert.equal(response.statusCode, 200);
  });

  for (const path of ['query/whoami', 'submit/sign_raw_payload', 'submit/eth_send_transaction']) {
    test(`a browser may call ${path} from another origin`, async () => {
      const headers = ['content-type', 'x-client-version', 'x-stamp', 'x-stamp-webauthn', 'x-session'];
      const response = await fetch(`${world.server.compatibleUrl}/public/v1/${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: PAGE_ORIGIN,
          'access-control-request-method': 'POST',
          'access-control-request-headers': headers.join(','),
        },
      });
      assert.equal(response.status, 204);
      assert.equal(response.headers.get('access-control-allow-origin'), PAGE_ORIGIN);
      const allowed = response.headers.get('access-control-allow-headers').toLowerCase().split(/, */);
      for (const header of headers) assert.ok(allowed.includes(header), header);
    });
  }

  test('whoami with the id of the parent finds the one sub-organization that knows the key', async () => {
    const { id, keys, userIds } = await newSubOrganization(world);
    const answer = await connect(world.server, world.organizationId, keys[0]).getWhoami({});
    assert.deepEqual([answer.organizationId, answer.userId], [id, userIds[0]]);
  });
});

describe('policies', () => {
  const consensus = "approvers.any(user, user.tags.contains('none'))";
  const policy = (own) => ({ policyName: nameFor('policy'), effect: 'EFFECT_ALLOW', notes: '', ...own });

  test('an empty condition beside a consensus is an absent one, in both dialects and in an update', async () => {
    const { policyId } = await world.client.createPolicy(policy({ condition: '', consensus }));
    const { policyIds } = await world.client.createPolicies({ policies: [policy({ condition: '', consensus })] });
    const changed = "approvers.any(user, user.tags.contains('other'))";
    await world.client.updatePolicy({ policyId, policyCondition: '', policyConsensus: changed });
    for (const [id, expected] of [
      [policyId, changed],
      [policyIds[0], consensus],
    ]) {
      const { policy: stored } = await world.client.getPolicy({ policyId: id });
      assert.deepEqual([stored.condition, stored.consensus], ['', expected]);
    }
    const body = activity('ACTIVITY_TYPE_CREATE_POLICY_V3', world.organizationId, policy({ condition: '', consensus }));
    const ours = { server: { ...world.server, compatibleUrl: world.server.url } };
    assert.equal((await post(ours, '/public/v1/submit/create_policy', body)).status, 200);
  });

  test('an update does not guess whether an empty condition keeps or removes the one that is there', async () => {
    const condition = "wallet.label == 'none'";
    const { policyId } = await world.client.createPolicy(policy({ condition, consensus }));
    await assert.rejects(
      world.client.updatePolicy({ policyId, policyCondition: '', policyConsensus: consensus }),
      /an update cannot remove a condition/,
    );
    assert.equal((await world.client.getPolicy({ policyId })).policy.condition, condition);
  });
});

describe('errors', () => {
  test('a denial by policies: the text that clients compare, and the reason in the details', async () => {
    const key = generateP256KeyPair();
    await newUser(world, { apiKeys: [apiKeyFor(key)] });
    const wallet = { walletName: nameFor('wallet'), accounts: [] };
    await assert.rejects(connect(world.server, world.organizationId, key).createWallet(wallet), (error) => {
      const [{ '@type': kind, message, policyEvaluations }, reason] = error.details;
      assert.equal(kind, 'type.googleapis.com/errors.v1.PolicyEnginePermissionError');
      assert.equal(message, 'No policies evaluated to outcome: Allow');
      assert.ok(policyEvaluations.every(({ outcome }) => outcome !== 'OUTCOME_ALLOW' && outcome !== 'OUTCOME_DENY_EXPLICIT'));
      assert.match(reason.message, /request not authorized/);
      const recorded =
        "You don't have sufficient permissions to take this action. Please add a policy granting this user permissions. Learn more at https://docs.turnkey.com/concepts/policies/quickstart.";
      return error.message.startsWith(`Turnkey error 7: ${recorded} (Details: [`);
    });
  });

  /** A user with a DENY on wallets, and the id of that policy. */
  async function deniedUser() {
    const key = generateP256KeyPair();
    const userId = await newUser(world, { apiKeys: [apiKeyFor(key)] });
    const { policyId } = await world.client.createPolicy({
      policyName: nameFor('policy'),
      effect: 'EFFECT_DENY',
      condition: "activity.resource == 'WALLET'",
      consensus: `approvers.any(user, user.id == '${userId}')`,
      notes: '',
    });
    return { key, policyId };
  }
  const emptyWallet = () => ({ walletName: nameFor('wallet'), accounts: [] });
  const compared = 'Turnkey error 7: policy engine denied request explicitly (Details: [])';

  test('a denial by a DENY: the text and the empty details that clients compare', async () => {
    const { key } = await deniedUser();
    await assert.rejects(connect(world.server, world.organizationId, key).createWallet(emptyWallet()), { message: compared });
  });

  test('a denial by a DENY: its reason, read as the guide says', async () => {
    const { organizationId, server } = world;
    const [reading, wrapping, ...others] = await guideCode();
    assert.deepEqual(others, []);
    const { key, policyId } = await deniedUser();
    const clients = [connect(server, organizationId, key), connectHttp(server, key)];
    await assert.rejects(
      clients[1].createWallet(activity('ACTIVITY_TYPE_CREATE_WALLET', organizationId, emptyWallet())),
      (error) => error.message === compared,
    );
    for (const client of clients) {
      const reason = await runCode(reading, { client, organizationId }, 'reason');
      assert.match(reason, new RegExp(`^policy engine denied request explicitly: policy ${policyId} denies it`));
    }

    const unwrapped = globalThis.fetch;
    try {
      await runCode(wrapping, {}, 'undefined');
      await assert.rejects(clients[0].createWallet(emptyWallet()), (error) => {
        assert.ok(error.message.startsWith('Turnkey error 7: policy engine denied request explicitly (Details: [{'));
        assert.match(error.details[1].message, new RegExp(`policy ${policyId} denies it`));
        return error.code === 7;
      });
      await assert.rejects(connect(server, organizationId, generateP256KeyPair()).getWhoami({}), /could not find public key/);
    } finally {
      globalThis.fetch = unwrapped;
    }
  });

  test('an unknown organization is named', async () => {
    const organizationId = crypto.randomUUID();
    const stranger = connect(world.server, organizationId, generateP256KeyPair());
    await assert.rejects(stranger.getWhoami({}), (error) =>
      error.message.includes(`no organization found with the given ID: ${organizationId}.`),
    );
  });

  test('an unknown key: the text by which clients end a session', async () => {
    const stranger = connect(world.server, world.organizationId, generateP256KeyPair());
    await assert.rejects(stranger.getWhoami({}), (error) => {
      assert.deepEqual([error.name, error.code], ['TurnkeyRequestError', 16]);
      return error.message.includes('could not find public key in organization or its parent organization');
    });
  });

  test('an expired key: the text by which clients end a session', async () => {
    const key = generateP256KeyPair();
    await newUser(world, { apiKeys: [{ ...apiKeyFor(key), expirationSeconds: '1' }] });
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await assert.rejects(connect(world.server, world.organizationId, key).getWhoami({}), (error) => {
      assert.equal(error.code, 16);
      return error.message.includes('Unauthenticated desc = expired api key publicKey');
    });
  });

  test('a wrong field is named, in the form that clients show', async () => {
    const user = { userName: '', apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] };
    await assert.rejects(world.client.createUsers({ users: [user] }), (error) => {
      const [{ '@type': kind, fieldViolations }, detail] = error.details;
      assert.equal(kind, 'type.googleapis.com/google.rpc.BadRequest');
      assert.equal(fieldViolations[0].field, 'users.0.userName');
      assert.equal(detail.turnkeyErrorCode, 'REQUEST_INVALID');
      return error.message.startsWith('Turnkey error 3: invalid request');
    });
  });

  test('an unproven identity is refused: it needs a token, not only claims', async () => {
    const oauthProviders = [
      { providerName: 'claimed', oidcClaims: { iss: world.issuer.url, aud: 'interop-app', sub: 'somebody' } },
    ];
    await assert.rejects(newUser(world, { oauthProviders }), (error) => {
      assert.equal(error.code, 3);
      return error.details[0].fieldViolations.some(({ field }) => field === 'users.0.oauthProviders.0.oidcClaims');
    });
  });

  test('signing with the id of the wrong organization', async () => {
    const { address } = await newSubOrganization(world);
    const wrong = world.client.signRawPayload({
      signWith: address,
      payload: '00'.repeat(32),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    });
    await assert.rejects(wrong, /Turnkey error 5: Could not find any resource to sign with/);
  });

  test('the body has its code twice, at the top and in the details', async () => {
    const { status, body } = await post(world, '/public/v1/query/get_policy', { organizationId: 'not an id', policyId: 'x' });
    assert.equal(status, 400);
    assert.deepEqual(
      [body.code, body.turnkeyErrorCode, body.details.at(-1).turnkeyErrorCode],
      [3, 'INVALID_ORGANIZATION_ID', 'INVALID_ORGANIZATION_ID'],
    );
    assert.match(body.message, /^malformed organization ID provided/);
  });
});

describe('calls of @turnkey/http only', () => {
  test('getActivePolicies shows which policies apply at this time', async () => {
    const http = connectHttp(world.server);
    const { organizationId } = world;
    const condition = "wallet.label == 'none'";
    const policy = () => ({ policyName: nameFor('policy'), effect: 'EFFECT_DENY', condition, notes: '' });
    const over = { ...policy(), time: "time.now < Timestamp('2020-01-01T00:00:00Z')" };
    const always = await world.client.createPolicy(policy());
    const past = await world.client.createPolicy(over);
    const answer = checkFields(await http.getActivePolicies({ organizationId }), { statuses: 'list', evaluatedAtMs: 'text' });
    const statusOf = ({ policyId }) => answer.statuses.find((each) => each.policyId === policyId);
    assert.deepEqual(statusOf(always), { organizationId, policyId: always.policyId, active: true });
    assert.deepEqual(statusOf(past), { organizationId, policyId: past.policyId, active: false, timeExpr: over.time });
  });
});
