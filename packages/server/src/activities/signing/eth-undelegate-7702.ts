import { activities } from '@countersign/contract';
import { ethereumUndelegation } from '../../sending/ethereum-undelegation.ts';
import { sendExecutor } from './send-executor.ts';

export const ethUndelegate7702 = sendExecutor(activities.ethUndelegate7702, ethereumUndelegation);
