import type { Browser, CDPSession, Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PushService, type Subscribed, startPushService } from '../../features/push/push-service.ts';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createPrivateKey, signParams, uniqueName, userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';
import { told, visit } from './story.ts';

let browser: Browser;
let service: ConsoleService;
let proxy: PrefixProxy;
let pushService: PushService;
let subscribed: Subscribed;
let ann: Person;
let consoleUrl: string;
let permissions: CDPSession;

/**
 * Stands in for the service of the browser's vendor, which no test can call: only `subscribe` and `getSubscription` are replaced, and give
 * what the vendor's service would have given. Permission, worker, activity, encryption and delivery are the real ones.
 */
async function replaceVendor({ page }: Person, { endpoint, p256dh, auth }: Subscribed['params']): Promise<void> {
  await page.addInitScript(
    (given) => {
      const made = {
        endpoint: given.endpoint,
        options: { applicationServerKey: null as ArrayBuffer | null },
        toJSON: () => ({ endpoint: given.endpoint, keys: { p256dh: given.p256dh, auth: given.auth } }),
        async unsubscribe() {
          localStorage.removeItem('subscribed');
          return true;
        },
      };
      PushManager.prototype.getSubscription = async () =>
        localStorage.getItem('subscribed') === null ? null : (made as unknown as PushSubscription);
      PushManager.prototype.subscribe = async (options) => {
        localStorage.setItem('subscribed', String(options?.applicationServerKey));
        return made as unknown as PushSubscription;
      };
    },
    { endpoint, p256dh, auth },
  );
}

beforeAll(async () => {
  pushService = await startPushService();
  const environment = { COUNTERSIGN_PUSH_NETWORKS: '127.0.0.1/32' };
  [browser, service] = await Promise.all([startChromium(), startConsoleService(environment)]);
  permissions = await browser.newBrowserCDPSession();
  proxy = await startPrefixProxy(service.url, '/keys/eu');
  consoleUrl = `${proxy.origin}/keys/eu/console/`;
  subscribed = pushService.subscribe();
  ann = await openPerson(browser, consoleUrl, { keepsFiles: true });
  await replaceVendor(ann, subscribed.params);
  await ann.page.goto(consoleUrl + new URL(service.setupLink).hash);
  await ann.page.getByRole('button', { name: 'Create a passkey' }).click();
  await ann.page.getByText('Latest activities').waitFor();
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await service?.close();
  await pushService?.close();
});

const section = () => ann.page.getByRole('region', { name: 'Browser notifications' });

/** Answers for the person whether this site may show notifications. The answer lasts as long as the devtools session. */
async function decide(setting: 'granted' | 'denied'): Promise<void> {
  const devtools = await ann.context.newCDPSession(ann.page);
  const { browserContextId = '' } = (await devtools.send('Target.getTargetInfo')).targetInfo;
  const permission = { name: 'notifications' };
  const { origin } = new URL(consoleUrl);
  await permissions.send('Browser.setPermission', { permission, setting, origin, browserContextId });
  await ann.page.reload();
}

test('the switch says where notifications are blocked, and where a browser has none', async () => {
  await visit(ann, '/me');
  await section().getByText('Your organization does not send notifications yet.').waitFor();
  await decide('denied');
  await section().getByText('Blocked.').waitFor();
  expect(await section().getByRole('button', { name: 'Turn on' }).isDisabled()).toBe(true);
  const old = await ann.context.newPage();
  await old.addInitScript(() => {
    Reflect.deleteProperty(window, 'PushManager');
  });
  await old.goto(`${consoleUrl}#/me`);
  await old.getByText('Not available. This browser does not support push messages').waitFor();
  await old.close();
  const tab = await ann.context.newPage();
  await tab.addInitScript(() => {
    Reflect.deleteProperty(window, 'PushManager');
    const userAgent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile Safari/604.1';
    Object.defineProperty(navigator, 'userAgent', { value: userAgent });
  });
  await tab.goto(`${consoleUrl}#/me`);
  await tab.getByText('Add the console to the home screen first').waitFor();
  await tab.close();
});

test('the switch turns on with a passkey, for this service alone', async () => {
  await decide('granted');
  await section().getByText('Off.').waitFor();
  await section().getByRole('button', { name: 'Turn on' }).click();
  await told(ann, 'Notifications are on in this browser.');
  await section().getByText('On.').waitFor();
  await section().getByText('this device', { exact: true }).waitFor();
  // The browser was asked to subscribe to this service alone.
  const key = await ann.page.evaluate(() => localStorage.getItem('subscribed'));
  expect(key).toBe((await service.root.data('listPushSubscriptions')).applicationServerKey);
});

/** What the service pushed, as the browser decrypted it. */
let message = '';
let activityId = '';

test('what waits for somebody comes to their browser, encrypted', async () => {
  const { root } = service;
  await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_APPROVAL_MAIL', value: '' });
  const { userId } = await root.data('whoami');
  const key = newApiKey();
  const { userIds } = await root.result('createUsers', { users: [userParams(key)] });
  const keyId = await createPrivateKey(root);
  await root.result('createPolicy', {
    policyName: uniqueName('Two'),
    effect: 'EFFECT_ALLOW',
    condition: `private_key.id == '${keyId}'`,
    consensus: `approvers.any(user, user.id == '${userIds[0]}') && approvers.any(user, user.id == '${userId}')`,
  });
  const { body } = await root.with({ key }).submit('signRawPayload', signParams(keyId));
  activityId = body.activity.id;
  const [pushed] = await subscribed.got(1);
  expect(pushed).toEqual({
    organizationId: root.organizationId,
    activityId,
    more: 0,
    sentence: expect.stringContaining('asks: Sign one raw payload'),
  });
  message = JSON.stringify(pushed);
});

/** Hands a message to the worker as the browser does when one comes. */
async function deliver(devtools: CDPSession, data: string): Promise<void> {
  const registrationId = await new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const ours = registrations.find(({ scopeURL, isDeleted }) => scopeURL === consoleUrl && !isDeleted);
      if (ours !== undefined) resolve(ours.registrationId);
    });
    void devtools.send('ServiceWorker.enable');
  });
  await devtools.send('ServiceWorker.deliverPushMessage', { origin: new URL(consoleUrl).origin, registrationId, data });
}

const shown = () =>
  ann.page.evaluate(async () => {
    const notifications = await (await navigator.serviceWorker.ready).getNotifications();
    return notifications.map(({ title, body, tag }) => ({ title, body, tag }));
  });

test('A83: the worker shows it, and a click opens the page of the request, where nothing is approved yet', async () => {
  const devtools = await ann.context.newCDPSession(ann.page);
  const watched = ann.context.serviceWorkers().find((each) => each.url() === `${consoleUrl}worker.js`) as Worker;
  await watched.evaluate(() => {
    const badges: number[] = [];
    Object.assign(self, { badges });
    Object.assign(Object.getPrototypeOf(navigator), { setAppBadge: async (count: number) => void badges.push(count) });
  });
  await deliver(devtools, message);
  const { organizationId } = service.root;
  const body = JSON.parse(message).sentence;
  await expect
    .poll(shown, { timeout: 60_000 })
    .toEqual([{ title: 'Your approval is needed', body, tag: `approvals ${organizationId}` }]);
  await expect.poll(() => watched.evaluate(() => (self as unknown as { badges: number[] }).badges)).toEqual([1]);
  const worker = ann.context.serviceWorkers().find((each) => each.url() === `${consoleUrl}worker.js`) as Worker;
  // No protocol clicks on a notification, so the worker gets the event that a click makes.
  await worker.evaluate(async () => {
    const scope = self as unknown as {
      registration: { getNotifications(): Promise<Notification[]> };
      NotificationEvent: new (type: string, options: { notification: Notification | undefined }) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    self.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
  });
  await ann.page.waitForURL(`${consoleUrl}#/approvals/${activityId}?organization=${organizationId}`);
  await ann.page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await expect.poll(shown).toEqual([]);
  const { activity } = await service.root.data('getActivity', { activityId });
  expect(activity).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' });
  expect(activity.votes).toHaveLength(1);
});

const workers = () => ann.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
const isSubscribed = () => ann.page.evaluate(() => localStorage.getItem('subscribed') !== null);

test('a session that ran out leaves the worker of a browser that is told, and signing out ends both', async () => {
  const { page } = ann;
  await service.root.result('endSessions', {});
  await visit(ann, '/wallets');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('No wallet yet').waitFor();
  expect([await workers(), await isSubscribed()]).toEqual([1, true]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await expect.poll(workers, { timeout: 60_000 }).toBe(0);
  expect(await isSubscribed()).toBe(false);
});

test('turning off tells the service, and nothing but the console was asked', async () => {
  const { page } = ann;
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('No wallet yet').waitFor();
  await visit(ann, '/me');
  await section().getByRole('button', { name: 'Turn on' }).click();
  await told(ann, 'Notifications are on in this browser.');
  await section().getByRole('button', { name: 'Turn off' }).click();
  await told(ann, 'Notifications are off in that browser.');
  await section().getByText('Off.').waitFor();
  expect((await service.root.data('listPushSubscriptions')).pushSubscriptions).toEqual([]);
  expect(ann.faults).toEqual([]);
  expect(ann.foreign).toEqual([]);
});
