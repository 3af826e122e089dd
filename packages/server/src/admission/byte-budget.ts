/** Bytes that wait for a client: the part of a body that has arrived, or an answer that was not taken yet. */
export interface HeldBytes {
  /** Counts further bytes. */
  add(bytes: number): void;
  /** Counts them no longer. */
  release(): void;
}

/** A bound on bytes that clients make the server hold. */
export interface ByteBudget {
  /** Begins to hold bytes for a client. `giveUp` is called at most once, where they must go. */
  hold(address: string, giveUp: () => void): HeldBytes;
  /** All bytes that are held. */
  held(): number;
}

interface Holding {
  bytes: number;
  readonly giveUp: () => void;
}

/**
 * SECURITY: D166: the memory is there for all addresses. Where it is used up, the address that holds most of it gives up what it has held
 * for the longest time. So nobody is refused for what somebody else makes the server hold.
 */
export function createByteBudget(maxBytes: number, onGivenUp: () => void = () => {}): ByteBudget {
  const byAddress = new Map<string, { bytes: number; readonly holdings: Set<Holding> }>();
  let total = 0;

  function makeRoom(): void {
    while (total > maxBytes) {
      const most = [...byAddress.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));
      const [oldest] = most.holdings;
      if (oldest === undefined) return;
      most.holdings.delete(oldest);
      most.bytes -= oldest.bytes;
      total -= oldest.bytes;
      onGivenUp();
      oldest.giveUp();
    }
  }

  return {
    held: () => total,
    hold(address, giveUp) {
      const holder = byAddress.get(address) ?? { bytes: 0, holdings: new Set() };
      byAddress.set(address, holder);
      const holding: Holding = { bytes: 0, giveUp };
      holder.holdings.add(holding);
      return {
        add(bytes) {
          if (!holder.holdings.has(holding)) return;
          holding.bytes += bytes;
          holder.bytes += bytes;
          total += bytes;
          if (total > maxBytes) makeRoom();
        },
        release() {
          if (holder.holdings.delete(holding)) {
            holder.bytes -= holding.bytes;
            total -= holding.bytes;
          }
          if (holder.holdings.size === 0 && byAddress.get(address) === holder) byAddress.delete(address);
        },
      };
    },
  };
}
