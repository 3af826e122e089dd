import { activities } from '@countersign/contract';
import { sendChains } from '../../sending/send-chains.ts';
import { sendExecutor } from './send-executor.ts';

export const solSendTransaction = sendExecutor(activities.solSendTransaction, sendChains.solana);
