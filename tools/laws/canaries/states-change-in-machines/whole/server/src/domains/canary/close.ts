export const rename = 'update projects set name = $1 where id = $2';
