export const page = 'select name from things where id > $1 order by id limit 50';
