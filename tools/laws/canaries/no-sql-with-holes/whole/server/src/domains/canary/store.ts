const columns = 'id, name';

export const find = `select ${columns} from things where id = $1`;
