import { formatUnits } from '../shared/text.ts';

const LAMPORTS_DECIMALS = 9;

/** An amount of lamports for people to read: `1.5 SOL`. */
export function formatSol(lamports: bigint): string {
  return `${formatUnits(lamports, LAMPORTS_DECIMALS)} SOL`;
}
