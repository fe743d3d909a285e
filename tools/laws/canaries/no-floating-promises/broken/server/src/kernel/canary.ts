// reported as typescript(no-floating-promises): Promises must be awaited
const work = async () => 1;
export const start = () => {
  work();
};
