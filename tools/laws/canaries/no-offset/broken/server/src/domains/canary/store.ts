// reported as no-offset: page by the last key
export const page = 'select name from things order by id offset $1 limit 50';
