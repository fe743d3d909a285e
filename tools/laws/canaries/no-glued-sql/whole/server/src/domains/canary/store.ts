export const find = 'select name from things where id = $1';
