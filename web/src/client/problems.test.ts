import { describe, expect, it } from 'vitest';
import { titleOfProblem } from './problems.ts';

describe('the title of a refusal', () => {
  it.each([
    ['version_conflict', 409, 'Changed in the meantime'],
    ['ssh_key_exists', 409, 'Exists already'],
    ['project_slug_taken', 409, 'Exists already'],
    ['allocation_concurrency_limit', 409, 'Limit reached'],
    ['organization_not_empty', 409, 'Still in use'],
    ['illegal_transition', 409, 'Not possible in this state'],
    ['os_image_not_cached', 409, 'Not possible'],
    ['allocation_not_found', 404, 'Not found'],
  ])('of %s with the status %i says what is the matter', (code, status, title) => {
    expect(titleOfProblem({ code, status })).toBe(title);
  });
});
