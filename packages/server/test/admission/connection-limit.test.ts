import { describe, expect, test } from 'vitest';
import { type ConnectionBounds, createConnectionLimit } from '../../src/admission/connection-limit.ts';
import { senderOf } from '../../src/admission/flow.ts';
import { parseIpAddress } from '../../src/network/ip-address.ts';

/** A limit, and connections that know whether they were closed for others. */
function openLimit(bounds: ConnectionBounds) {
  const limit = createConnectionLimit(bounds);
  const connect = (address: string | undefined) => {
    const connection = {
      isClosed: false,
      resetAndDestroy() {
        connection.isClosed = true;
      },
    };
    const release = limit.open(connection, address === undefined ? undefined : senderOf(parseIpAddress(address)));
    const prove = (userId: string, organizationId = userId, tenantId = organizationId) =>
      limit.proved(connection, { tenantId, organizationId, userId });
    return { isOpen: () => release !== undefined && !connection.isClosed, release: () => release?.(), prove };
  };
  return { connect };
}

test('D167: limits connections per address, and frees a slot when one closes', () => {
  const { connect } = openLimit({ perAddress: 2, total: 0 });
  const [first, second, third] = [connect('192.0.2.1'), connect('192.0.2.1'), connect('192.0.2.1')];
  expect([first.isOpen(), second.isOpen(), third.isOpen()]).toEqual([true, true, false]);
  expect(connect('192.0.2.2').isOpen()).toBe(true);
  first.release();
  expect(connect('192.0.2.1').isOpen()).toBe(true);
});

describe('D430: when all connections are used', () => {
  const TOTAL = 100;
  const bounds = { perAddress: 0, total: TOTAL };

  test.each([
    ['ten IPv4 addresses', (at: number) => `10.0.${at % 10}.1`],
    ['a /48 of IPv6, each connection from another /64', (at: number) => `2001:db8:1:${(at % 65_536).toString(16)}::1`],
  ])('connections of %s make room for others', (_, addressOf) => {
    const { connect } = openLimit(bounds);
    const first = connect('192.0.2.1');
    const flood = Array.from({ length: TOTAL * 5 }, (__, at) => connect(addressOf(at)));
    expect(first.isOpen()).toBe(true);
    expect(flood.filter(({ isOpen }) => isOpen())).toHaveLength(TOTAL - 1);
    const late = ['198.51.100.1', '2001:db8:2::1'].map(connect);
    for (let at = 0; at < TOTAL; at++) connect(addressOf(at));
    expect(late.every(({ isOpen }) => isOpen())).toBe(true);
  });

  test('proven connections stay, however many addresses connect once', () => {
    const { connect } = openLimit(bounds);
    const mine = connect('192.0.2.1');
    mine.prove('user');
    for (let at = 0; at < TOTAL * 5; at++) connect(`10.${at >> 8}.${at & 255}.1`);
    expect(mine.isOpen()).toBe(true);
  });

  test('a tenant that proves all of its connections leaves a fifth to those who connect, and loses them for other tenants', () => {
    const { connect } = openLimit(bounds);
    const hoard = Array.from({ length: TOTAL }, (_, at) => {
      const connection = connect(`10.0.${at}.1`);
      connection.prove(`user ${at}`, `sub-organization ${at}`, 'hoarder');
      return connection;
    });
    const others = Array.from({ length: 40 }, (_, at) => {
      const connection = connect(`192.0.2.${at}`);
      connection.prove(`other ${at}`);
      return connection;
    });
    expect(others.every(({ isOpen }) => isOpen())).toBe(true);
    expect(hoard.filter(({ isOpen }) => isOpen())).toHaveLength(TOTAL - 40);
  });

  test('the connection that a tenant used longest ago is closed first', () => {
    const { connect } = openLimit({ perAddress: 0, total: 5 });
    const [first, ...others] = Array.from({ length: 5 }, () => {
      const connection = connect('192.0.2.1');
      connection.prove('user');
      return connection;
    });
    first?.prove('user');
    connect('198.51.100.1');
    expect([first, ...others].map((each) => each?.isOpen())).toEqual([true, false, true, true, true]);
  });

  test('connections of a trusted proxy are not closed, and one that finds no room is rejected', () => {
    const { connect } = openLimit({ perAddress: 0, total: 2 });
    const [first, second, third] = [connect(undefined), connect(undefined), connect(undefined)];
    expect([first.isOpen(), second.isOpen(), third.isOpen()]).toEqual([true, true, false]);
    expect(connect('192.0.2.1').isOpen()).toBe(false);
    second.release();
    expect(connect('192.0.2.1').isOpen()).toBe(true);
  });

  test('a closed connection counts no longer, and only once', () => {
    const { connect } = openLimit({ perAddress: 1, total: 2 });
    const first = connect('10.0.0.1');
    connect('10.0.0.2');
    const third = connect('192.0.2.1');
    expect([first.isOpen(), third.isOpen()]).toEqual([false, true]);
    first.release();
    first.release();
    expect(connect('10.0.0.1').isOpen()).toBe(true);
    expect(third.isOpen()).toBe(true);
  });
});
