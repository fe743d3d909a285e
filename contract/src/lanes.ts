/**
 * A lane is a budget of requests per minute for one caller, counted in fixed windows: across the end of a window a caller gets
 * up to twice the budget. Heavy or abusable operations have lanes of their own, so that a busy dashboard cannot starve a payment.
 */
export const lanes = {
  default: { policy: 'rate_limit.api_requests_per_minute' },
  /** Reads. A page of the console makes several calls at once. */
  reads: { policy: 'rate_limit.read_requests_per_minute' },
  financial: { policy: 'rate_limit.financial_requests_per_minute' },
  admin: { policy: 'rate_limit.admin_overview_requests_per_minute' },
  /** First uses of a credential. Guesses are counted by address. */
  credentials: { policy: 'rate_limit.credential_attempts_per_minute' },
  terminal: { policy: 'rate_limit.terminal_token_requests_per_minute' },
} as const;
export type Lane = keyof typeof lanes;
