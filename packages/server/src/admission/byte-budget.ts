/** Bytes in memory because of a client: an unfinished body, or a response that the client has not read. */
export interface HeldBytes {
  add(bytes: number): void;
  release(): void;
}

/** Bounds the memory that clients occupy. */
export interface ByteBudget {
  /** Starts to count bytes of a client. `giveUp` is called at most once, if the memory is needed. */
  hold(address: string, giveUp: () => void): HeldBytes;
  /** The sum. */
  held(): number;
}

interface Holding {
  bytes: number;
  readonly giveUp: () => void;
}

/**
 * SECURITY: D166: all addresses share the memory. If it is used up, the address that holds most of it loses its oldest bytes, so that
 * one client cannot cause rejections of another.
 */
export function createByteBudget(maxBytes: number, onEvict: () => void = () => {}): ByteBudget {
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
      onEvict();
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
