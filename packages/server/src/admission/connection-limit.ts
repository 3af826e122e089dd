import type { Sender } from './flow.ts';
import { Holders } from './holders.ts';
import type { VerifiedUser } from './known-callers.ts';

/** A connection, as the limit sees it. */
export interface LimitedConnection {
  /** Closes it and frees what the operating system holds for it. */
  resetAndDestroy(): unknown;
}

/** Bounds the open connections, per address and in total. */
export interface ConnectionLimit {
  /** Counts a connection. Returns its release, or undefined if there are too many. Without a sender it is that of a trusted proxy. */
  open(connection: LimitedConnection, sender: Sender | undefined): (() => void) | undefined;
  /** A stamp of this user verified on the connection. */
  proved(connection: LimitedConnection, user: VerifiedUser): void;
}

/** Settings of the limit. 0: no limit. */
export interface ConnectionBounds {
  readonly perAddress: number;
  readonly total: number;
}

/** Part of the connections that unproven ones keep, even if others need them. */
const UNPROVEN_SHARE = 0.2;

/**
 * SECURITY: D167: each connection takes memory and a file descriptor before it sends anything.
 * SECURITY: D430: if all are used, the block of addresses with the most unproven connections loses its oldest one. Otherwise ten addresses
 * would keep everyone else from connecting. If few are unproven, the organization with the most loses the one that it used longest ago. A
 * trusted proxy opens connections for many clients, so it loses none.
 */
export function createConnectionLimit({ perAddress, total }: ConnectionBounds, onLimit: () => void = () => {}): ConnectionLimit {
  const byAddress = new Map<string, number>();
  const unproven = new Holders<LimitedConnection>();
  const proven = new Holders<LimitedConnection>();
  const releases = new WeakMap<LimitedConnection, () => void>();
  let all = 0;

  /** The connection to close for another one. */
  function largest(): LimitedConnection | undefined {
    const isUnproven = unproven.size > total * UNPROVEN_SHARE || proven.size === 0;
    return (isUnproven ? unproven : proven).largest();
  }

  /** Counts a connection. Returns its release. */
  function count(connection: LimitedConnection, sender: Sender | undefined): () => void {
    all += 1;
    if (sender !== undefined) {
      byAddress.set(sender.block, (byAddress.get(sender.block) ?? 0) + 1);
      unproven.add(sender.flow.path, connection);
    }
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      all -= 1;
      unproven.delete(connection);
      proven.delete(connection);
      if (sender === undefined) return;
      const left = (byAddress.get(sender.block) ?? 1) - 1;
      if (left === 0) byAddress.delete(sender.block);
      else byAddress.set(sender.block, left);
    };
  }

  return {
    open(connection, sender) {
      if (sender !== undefined && perAddress > 0 && (byAddress.get(sender.block) ?? 0) >= perAddress) {
        onLimit();
        return undefined;
      }
      const release = count(connection, sender);
      releases.set(connection, release);
      if (total === 0 || all <= total) return release;
      onLimit();
      const other = largest() ?? connection;
      // The event of its end comes later, and until then it would be chosen again.
      releases.get(other)?.();
      if (other === connection) return undefined;
      other.resetAndDestroy();
      return release;
    },

    proved(connection, { tenantId, organizationId, userId }) {
      if (proven.has(connection)) proven.renew(connection);
      else if (unproven.has(connection)) {
        unproven.delete(connection);
        proven.add([tenantId, organizationId, userId], connection);
      }
    },
  };
}
