/**
 * Who stamped a request or a vote, with the name that the service states. `proven`: the log has a record of this user with this name and with
 * the key of the stamp. `altered`: the log says otherwise. `unproven`: there is no evidence.
 */
export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly publicKey: string;
  readonly state: 'proven' | 'altered' | 'unproven';
}
