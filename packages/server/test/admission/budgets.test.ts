import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type BytesHolder, createByteBudget, enforceReadDeadline, SlowBodies } from '../../src/admission/bodies.ts';

const stranger = (name: string) => ({ isProven: false, name });
const user = (name: string) => ({ isProven: true, name });

describe('D166: budget of buffered body bytes', () => {
  test('over budget, evicts the oldest body of the address that holds the most bytes', () => {
    const gone: string[] = [];
    const budget = createByteBudget(100);
    const hold = (address: string, name: string, bytes: number) => {
      const held = budget.hold(stranger(address), () => gone.push(name));
      held.add(bytes);
      return held;
    };
    hold('attacker', 'a1', 30);
    hold('attacker', 'a2', 30);
    const mine = hold('customer', 'c1', 35);
    expect(gone).toEqual([]);
    mine.add(20);
    expect(gone).toEqual(['a1']);
    expect(budget.held()).toBe(85);
  });

  test('an evicted body no longer counts, even if more of it arrives', () => {
    let calls = 0;
    const budget = createByteBudget(10);
    const held = budget.hold(stranger('a'), () => calls++);
    held.add(11);
    held.add(1000);
    held.release();
    expect([calls, budget.held()]).toEqual([1, 0]);
  });

  test('the sum stays within the budget and returns to 0', () => {
    const step = fc.record({ address: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(60) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const budget = createByteBudget(100);
        const all = steps.map(({ address, bytes }) => {
          const held = budget.hold(stranger(address), () => {});
          if (bytes % 2 === 0) held.add(bytes);
          else held.tryAdd(bytes);
          expect(budget.held()).toBeLessThanOrEqual(100);
          return held;
        });
        for (const held of all) held.release();
        expect(budget.held()).toBe(0);
      }),
    );
  });

  test('D250: denies bytes to the address that holds the most, and evicts its bytes for other addresses', () => {
    const gone: string[] = [];
    let full = 0;
    const budget = createByteBudget(100, () => full++);
    const hold = (address: string, name: string) => budget.hold(stranger(address), () => gone.push(name));
    const [first, second] = [hold('attacker', 'a1'), hold('attacker', 'a2')];
    expect([first.tryAdd(60), second.tryAdd(30), second.tryAdd(30)]).toEqual([true, true, false]);
    expect([gone, budget.held(), full]).toEqual([[], 90, 1]);
    const customer = hold('customer', 'c1');
    expect(customer.tryAdd(30)).toBe(true);
    expect([gone, budget.held(), full]).toEqual([['a1'], 60, 2]);
    // What was given up gets nothing more.
    expect(first.tryAdd(1)).toBe(false);
    expect(customer.tryAdd(101)).toBe(false);
    customer.add(-20);
    expect(budget.held()).toBe(40);
    for (const each of [first, second, customer]) each.release();
    expect(budget.held()).toBe(0);
  });

  test('evicts a body that arrives too slowly, not a steady one', () => {
    let now = 0;
    const bodies = new SlowBodies(() => now);
    const gone: string[] = [];
    const slow = bodies.watch(() => gone.push('slow'));
    const steady = bodies.watch(() => gone.push('steady'));
    now = 4_000;
    bodies.check();
    expect(gone).toEqual([]);
    now = 6_000;
    slow.receivedBytes = 100;
    steady.receivedBytes = 100_000;
    bodies.check();
    expect(gone).toEqual(['slow']);
    bodies.done(slow);
    bodies.done(steady);
  });
});

describe('D432: memory of tenants and of strangers', () => {
  const open = (maxBytes: number) => {
    const gone: string[] = [];
    const budget = createByteBudget(maxBytes);
    return { budget, gone, hold: (holder: BytesHolder) => budget.hold(holder, () => gone.push(holder.name)) };
  };

  test('many addresses that each hold less than a tenant lose first', () => {
    const { budget, gone, hold } = open(1000);
    const tenant = hold(user('tenant'));
    tenant.add(300);
    for (let each = 0; each < 100; each++) hold(stranger(`address ${each}`)).add(10);
    expect([gone.length, gone.includes('tenant')]).toEqual([30, false]);
    expect(tenant.tryAdd(400)).toBe(true);
    expect(gone).not.toContain('tenant');
    expect(budget.held()).toBeLessThanOrEqual(1000);
  });

  test('strangers keep a fifth, so that a tenant who holds everything cannot keep others from proving themselves', () => {
    const { gone, hold } = open(1000);
    for (let each = 0; each < 10; each++) hold(user('hoarder')).add(100);
    const first = hold(stranger('new address'));
    first.add(150);
    expect(gone).toEqual(['hoarder', 'hoarder']);
    expect(hold(stranger('another')).tryAdd(40)).toBe(true);
    expect(gone).not.toContain('new address');
  });

  test('among tenants, the one that holds the most loses', () => {
    const { gone, hold } = open(1000);
    for (let each = 0; each < 9; each++) hold(user('hoarder')).add(100);
    hold(user('tenant')).add(100);
    hold(user('tenant')).add(100);
    expect(gone).toEqual(['hoarder']);
  });

  test('a stranger does not take from tenants what it would hold more of', () => {
    const { gone, hold } = open(1000);
    for (let each = 0; each < 10; each++) hold(user(`tenant ${each}`)).add(100);
    expect(hold(stranger('address')).tryAdd(150)).toBe(false);
    expect(gone).toEqual([]);
  });
});

describe('D168: responses that clients do not read', () => {
  test('the read deadline is 15 seconds plus time per unread byte', () => {
    vi.useFakeTimers();
    const open = { resetAndDestroy: vi.fn() };
    const closed = { resetAndDestroy: vi.fn() };
    const budget = createByteBudget(100_000_000);
    const hold = () => budget.hold(stranger('a'), () => {});
    const release = enforceReadDeadline(open, 32_000, hold());
    enforceReadDeadline(closed, 32_000, hold());
    vi.advanceTimersByTime(15_900);
    release();
    expect(closed.resetAndDestroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(closed.resetAndDestroy).toHaveBeenCalledOnce();
    expect(open.resetAndDestroy).not.toHaveBeenCalled();
    vi.useRealTimers();
  });

  test('disconnects a client that never reads when memory is needed; a reading client gets the whole response', async () => {
    const budget = createByteBudget(15_000_000);
    const answer = Buffer.alloc(10_000_000, 'a');
    const holdFor = (socket: Socket) => {
      const held = budget.hold(stranger(socket.remoteAddress ?? ''), () => void socket.resetAndDestroy());
      held.add(answer.length);
      return held;
    };
    const server = createServer((_, response: ServerResponse) => {
      response.writeHead(200, { 'Content-Length': answer.length }).end(answer);
      response.once('close', enforceReadDeadline(response.socket as Socket, answer.length, holdFor(response.req.socket)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = (localAddress: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return socket;
    };
    const silent = ask('127.0.0.2').pause();
    const untilHeld = async () => {
      while (budget.held() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await untilHeld();
    // The second answer does not fit beside the first, which is the oldest of the address that holds most.
    const reading = ask('127.0.0.3');
    let received = 0;
    const whole = new Promise<void>((resolve) => {
      reading.on('data', (chunk) => {
        received += chunk.length;
        if (received > answer.length) resolve();
      });
    });
    await whole;
    const cut = new Promise((resolve) => silent.once('close', resolve));
    silent.resume();
    await cut;
    expect(silent.bytesRead).toBeLessThan(answer.length);
    reading.destroy();
    await new Promise((resolve) => server.close(resolve));
    expect(budget.held()).toBe(0);
  });
});
