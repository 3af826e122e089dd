/** Bytes in memory because of a client: an unfinished body, or a response that is being built or that the client has not read. */
export interface HeldBytes {
  /** Adds bytes, or removes them if negative. Makes room if the memory is used up. */
  add(bytes: number): void;
  /** Adds bytes. Returns false if the memory is used up and no other address holds more than this one would, or after `giveUp`. */
  tryAdd(bytes: number): boolean;
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

interface Holder {
  bytes: number;
  /** Oldest first. */
  readonly holdings: Set<Holding>;
}

/**
 * SECURITY: D166: all addresses share the memory. If it is used up, the address that holds most of it loses its oldest bytes, so that
 * one client cannot cause rejections of another.
 */
export function createByteBudget(maxBytes: number, onFull: () => void = () => {}): ByteBudget {
  const byAddress = new Map<string, Holder>();
  let total = 0;

  const largest = () => [...byAddress.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));

  function evict(holder: Holder): void {
    const [oldest] = holder.holdings;
    if (oldest === undefined) return;
    holder.holdings.delete(oldest);
    holder.bytes -= oldest.bytes;
    total -= oldest.bytes;
    onFull();
    oldest.giveUp();
  }

  return {
    held: () => total,
    hold(address, giveUp) {
      const holder: Holder = byAddress.get(address) ?? { bytes: 0, holdings: new Set() };
      byAddress.set(address, holder);
      const holding: Holding = { bytes: 0, giveUp };
      holder.holdings.add(holding);
      function count(bytes: number): void {
        if (!holder.holdings.has(holding)) return;
        holding.bytes += bytes;
        holder.bytes += bytes;
        total += bytes;
      }
      return {
        add(bytes) {
          count(bytes);
          while (total > maxBytes) evict(largest());
        },
        tryAdd(bytes) {
          if (!holder.holdings.has(holding)) return false;
          while (total + bytes > maxBytes) {
            const other = largest();
            if (other.bytes <= holder.bytes + bytes) {
              onFull();
              return false;
            }
            evict(other);
          }
          count(bytes);
          return true;
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
