export const openNats = 1;
