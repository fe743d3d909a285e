const work = async () => true;
export const start = async () => ((await work()) ? 1 : 2);
