-- Finds what was released because a balance was used up. Builds an index on allocations of those rows alone: launches wait meanwhile.
create index allocations_released_for_money on allocations (organization_id, releasing_at)
  where release_reason = 'balance_depleted';
