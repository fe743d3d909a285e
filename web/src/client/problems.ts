/** The title above a refusal. The status alone does not say what is the matter: 409 has many causes. */
const byCode: readonly (readonly [RegExp, string])[] = [
  [/^version_conflict$/, 'Changed in the meantime'],
  [/^(sku_unavailable|no_capacity)$/, 'No capacity'],
  [/balance|funds/, 'Not enough balance'],
  [/^budget_exceeded$/, 'Over the budget'],
  [/(_limit|_limit_reached|_exceeded)$/, 'Limit reached'],
  [/(_taken|_exists|_already_exists|already_member|invitation_pending)$/, 'Exists already'],
  [/(_not_empty|_in_use)$/, 'Still in use'],
  [/_in_progress$/, 'Still running'],
  [/^(last_owner|last_factor)$/, 'One has to stay'],
  [/_required$/, 'Something else is needed first'],
  [/^(illegal_transition|allocation_already_releasing)$|_not_(active|ready)$|_offline$/, 'Not possible in this state'],
];

export function titleOfProblem({ code, status }: { readonly code: string; readonly status: number }): string {
  if (status === 404) return 'Not found';
  if (status === 403) return 'Not allowed';
  if (status === 402 || status === 409 || status === 412)
    return byCode.find(([pattern]) => pattern.test(code))?.[1] ?? 'Not possible';
  if (status === 422 || status === 400) return 'Invalid input';
  if (status === 429) return 'Too many requests';
  return 'Request failed';
}
