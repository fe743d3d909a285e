// reported as no-marks: finish it
// TODO: count
export const one = 1;
