import { sql } from '../../../kernel/act.ts';

export const imageSql = sql(
  'node-reimage-image',
  'select slug, digest, driver_strategy from os_images where slug = $1 and $2 = any (skus)',
);
