import { activities } from '@countersign/contract';
import { sendChains } from '../../sending/send-chains.ts';
import { sendExecutor } from './send-executor.ts';

export const tronSendTransaction = sendExecutor(activities.tronSendTransaction, sendChains.tron);
