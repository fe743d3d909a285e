export const isOver = ({ over }: { readonly over: boolean }): boolean => over;
