import { SMS_CODE_PLACEHOLDER } from '@countersign/contract';
import type { Message } from './message.ts';

/** The text of a text message. */
export function renderSms({ secret, smsTemplate, look }: Message, appName: string): string {
  const app = look.appName === undefined || look.appName === '' ? appName : look.appName;
  if (smsTemplate !== undefined && smsTemplate !== '') return smsTemplate.replaceAll(SMS_CODE_PLACEHOLDER, () => secret);
  return `${secret} is your ${app} code. Do not share it.`;
}
