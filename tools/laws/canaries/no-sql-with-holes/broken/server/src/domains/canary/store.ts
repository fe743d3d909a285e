// reported as no-built-sql: a statement is written whole
export const find = (id: string) => `select name from things where id = '${id}'`;
