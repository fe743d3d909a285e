/**
 * A lane is a budget of requests per minute for one caller. It is counted in fixed windows, where a caller gets up to twice
 * the budget across the end of one; or, where `window` says so, in a sliding one: never more than the budget in any minute.
 * Heavy or abusable operations have lanes of their own, so that a busy dashboard cannot starve a payment.
 */
export const lanes = {
  default: { policy: 'rate_limit.api_requests_per_minute' },
  /** Reads. A page of the console makes several calls at once. */
  reads: { policy: 'rate_limit.read_requests_per_minute' },
  financial: { policy: 'rate_limit.financial_requests_per_minute' },
  /** Reads about money. A page about billing makes ten calls at once, and must not use up what a payment needs. */
  balances: { policy: 'rate_limit.financial_read_requests_per_minute' },
  admin: { policy: 'rate_limit.admin_overview_requests_per_minute' },
  /** First uses of a credential. Guesses are counted by address. */
  credentials: { policy: 'rate_limit.credential_attempts_per_minute' },
  /** Packages of the node agent, which hosts fetch before anybody knows them. Counted by address. */
  downloads: { policy: 'rate_limit.package_downloads_per_minute' },
  /** Links to files, which strangers open. Counted by address. */
  sharedFiles: { policy: 'rate_limit.shared_file_requests_per_minute' },
  /** Counted for the person, and for the address that the person calls from. */
  terminal: { policy: 'rate_limit.terminal_token_requests_per_minute', perAddress: true, window: 'sliding' },
} as const;
export type Lane = keyof typeof lanes;
/** Lanes whose minute is the one before each request. Their budgets are small: each request is remembered. */
export const slides = (lane: Lane): boolean => 'window' in lanes[lane];
/** Lanes that an address has a budget in, too, for all its callers together. */
export const countsAddresses = (lane: Lane): boolean => 'perAddress' in lanes[lane];
