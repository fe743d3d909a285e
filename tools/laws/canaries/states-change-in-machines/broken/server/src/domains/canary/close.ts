// reported as states-change-in-machines: machine.ts only
export const close = 'update projects set state = $1 where id = $2';
