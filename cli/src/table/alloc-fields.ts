/** What is shown of an allocation, here and there. */
export const allocationColumns = ['id', 'name', 'state', 'sku', 'gpu_count', 'region', 'price.per_hour', 'created_at'];
export const allocationFields = [
  'id',
  'name',
  'state',
  'sku',
  'gpu_count',
  'region',
  'image',
  'profile',
  'price.per_hour',
  'created_at',
  'active_at',
  'expires_at',
  'ended_at',
  'idle',
  'queue',
  'failure',
  'access',
  'tags',
];
