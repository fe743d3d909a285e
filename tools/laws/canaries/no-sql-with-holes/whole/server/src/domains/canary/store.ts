export const find = (id: string) => ({ text: 'select name from things where id = $1', values: [id] });
