import { activities } from '@countersign/contract';
import { ethereumReplacement } from '../../sending/ethereum-replacement.ts';
import { sendExecutor } from './send-executor.ts';

export const ethReplaceTransaction = sendExecutor(activities.ethReplaceTransaction, ethereumReplacement);
