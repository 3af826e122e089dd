/** Operations that published clients have a method for and this server does not, with the reason and what to do instead. */
interface Withheld {
  readonly reason: string;
  readonly queries?: readonly string[];
  readonly submits?: readonly string[];
  /** Paths below `/v1`, which published clients call at another host. */
  readonly proxied?: readonly string[];
  /** Activity types that are not named after a path of `submits`: other versions, and other names. */
  readonly types?: readonly string[];
}

const withheld: readonly Withheld[] = [
  {
    reason:
      'it has no index of the chain. list_address_transactions lists what nodes know: token transfers on EVM chains, and transactions on Solana.',
    queries: ['list_eth_transaction_history', 'list_sol_transaction_history'],
  },
  {
    reason:
      'it does not do this. Sign with sign_transaction and send the result with your own node, or use eth_send_transaction or sol_send_transaction.',
    queries: ['get_gas_usage'],
    submits: ['eth_send_raw_transaction'],
    types: ['UPSERT_GAS_USAGE_CONFIG'],
  },
  {
    reason: 'it does not trade. Build the transaction with the exchange of your choice and sign it with sign_transaction.',
    queries: ['get_swap_status'],
    submits: ['claim_swap_fees', 'create_swap_quote', 'execute_swap', 'upsert_swap_config'],
    types: ['CREATE_SWAP_QUOTE_V2', 'EXECUTE_SWAP_V2', 'EXECUTE_SWAP_V3'],
  },
  {
    reason: 'it does not invest. Build the transaction for the vault yourself and sign it with sign_transaction.',
    queries: [
      'get_claim_earn_fees_status',
      'get_earn_claim_rewards_status',
      'get_earn_deploy_status',
      'get_earn_deposit_status',
      'get_earn_withdraw_status',
      'list_earn_enabled_vaults',
      'list_earn_positions',
      'list_earn_rewards',
      'list_earn_vaults',
    ],
    submits: [
      'claim_earn_fees',
      'earn_claim_rewards',
      'earn_deploy_wrapper',
      'earn_deposit',
      'earn_set_wrapper_state',
      'earn_withdraw',
    ],
  },
  {
    reason: 'it does not sell currency. Use a payment provider directly.',
    queries: ['get_onramp_transaction_status', 'list_fiat_on_ramp_credentials'],
    submits: [
      'create_fiat_on_ramp_credential',
      'delete_fiat_on_ramp_credential',
      'init_fiat_on_ramp',
      'update_fiat_on_ramp_credential',
    ],
  },
  {
    reason: 'it runs on your own machines, not in an attested enclave, so there are no enclave proofs.',
    queries: ['get_attestation', 'get_boot_proof', 'get_latest_boot_proof', 'list_app_proofs'],
  },
  {
    reason: 'it hosts no applications.',
    queries: [
      'get_app_status',
      'get_tvc_app',
      'get_tvc_deployment',
      'get_tvc_deployment_debug_logs',
      'get_tvc_deployment_provisioning_details',
      'get_tvc_qos_versions',
      'list_tvc_app_deployments',
      'list_tvc_apps',
      'list_tvc_operators',
      'list_tvc_quorum_keys',
      'validate_tvc_image',
    ],
    submits: [
      'create_tvc_app',
      'create_tvc_deployment',
      'create_tvc_manifest_approvals',
      'create_tvc_operator',
      'create_tvc_quorum_key',
      'delete_tvc_app_and_deployments',
      'delete_tvc_deployment',
      'post_tvc_quorum_key_share',
      're_encrypt_tvc_quorum_key_share',
      'restore_tvc_deployment',
      'set_tvc_app_live_deployment',
    ],
    types: ['UPDATE_TVC_APP_LIVE_DEPLOYMENT'],
  },
  {
    reason: 'it has no threshold signing with Spark operators.',
    submits: ['spark_claim_transfer', 'spark_prepare_lightning_receive', 'spark_prepare_transfer', 'spark_sign_frost'],
  },
  {
    reason: 'published clients have no method for it.',
    types: ['ENABLE_AUTH_PROXY', 'UPDATE_PAYMENT_METHOD', 'UPDATE_WALLET_ACCOUNT_NAME'],
  },
  {
    reason:
      'it has no auth proxy. Sign users up and in from your back end, with init_otp, verify_otp, otp_login, oauth_login and create_sub_organization.',
    proxied: [
      'account',
      'oauth2_authenticate',
      'oauth_login',
      'otp_init',
      'otp_init_v2',
      'otp_login',
      'otp_login_v2',
      'otp_verify',
      'otp_verify_v2',
      'signup',
      'signup_v2',
      'wallet_kit_client_params',
      'wallet_kit_config',
    ],
  },
];

/** The reason by path, as it stands after the base path. A clear answer instead of "no such path", which reads like a wrong address. */
export const notOffered: ReadonlyMap<string, string> = new Map(
  withheld.flatMap(({ reason, queries = [], submits = [], proxied = [] }) => [
    ...queries.map((name) => [`/public/v1/query/${name}`, reason] as const),
    ...submits.map((name) => [`/public/v1/submit/${name}`, reason] as const),
    ...proxied.map((name) => [`/v1/${name}`, reason] as const),
  ]),
);

/** The activity types of all that, for policies that name them: a policy may have been written for another service. */
export const notOfferedTypes: readonly string[] = withheld.flatMap(({ submits = [], types = [] }) =>
  [...submits.map((name) => name.toUpperCase()), ...types].map((name) => `ACTIVITY_TYPE_${name}`),
);
