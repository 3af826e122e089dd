import { activities } from '@countersign/contract';
import { sendChains } from '../../sending/send-chains.ts';
import { sendExecutor } from './send-executor.ts';

export const bitcoinSendTransaction = sendExecutor(activities.bitcoinSendTransaction, sendChains.bip122);
