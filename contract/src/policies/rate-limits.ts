import { definePolicy } from '../policy.ts';

const perMinute = <const K extends `rate_limit.${string}`>(
  key: K,
  fallback: number,
  description: string,
  maximum = 1_000_000,
) =>
  definePolicy({
    key,
    type: 'integer',
    default: fallback,
    minimum: 1,
    maximum,
    unit: 'requests per minute',
    description,
    owner: 'edge',
  });

/** How many requests a caller or an address may make. */
export const rateLimitPolicies = [
  perMinute('rate_limit.api_requests_per_minute', 120, 'Requests of one caller in the default lane.'),
  perMinute(
    'rate_limit.read_requests_per_minute',
    1_200,
    'Reads of one caller in the default lane; the console makes several for each page.',
  ),
  perMinute(
    'rate_limit.financial_requests_per_minute',
    30,
    'Payments, refunds and other changes of one caller that are about money.',
  ),
  perMinute('rate_limit.financial_read_requests_per_minute', 300, 'Reads of one caller that are about money.'),
  perMinute('rate_limit.admin_overview_requests_per_minute', 600, 'Requests of one operator in the admin lane.'),
  perMinute(
    'rate_limit.terminal_token_requests_per_minute',
    10,
    'Terminal tokens minted by one person, and from one address, in any minute.',
    1_000,
  ),
  perMinute(
    'rate_limit.credential_attempts_per_minute',
    60,
    'First uses of a credential from one address, valid or not.',
  ),
  perMinute('rate_limit.package_downloads_per_minute', 120, 'Agent installers and packages fetched by one address.'),
  perMinute('rate_limit.shared_file_requests_per_minute', 60, 'Links to files that one address opens.'),
  perMinute(
    'rate_limit.unknown_caller_requests_per_minute',
    600,
    'Requests without a recently valid credential, from one address, in each process. IPv6 counts by /64.',
  ),
];
