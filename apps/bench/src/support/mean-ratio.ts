/** 97.5th percentile of Student's t distribution, by degrees of freedom from 1 to 30. */
const studentT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const normal = 1.96;

export interface MeanRatio {
  /** The geometric mean. */
  ratio: number;
  /** Its 95 % confidence interval. */
  low: number;
  high: number;
}

/** The mean of the ratios of pairs. */
export function meanRatio(ratios: readonly number[]): MeanRatio {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
  const variance = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (logs.length - 1);
  const margin = (studentT[logs.length - 2] ?? normal) * Math.sqrt(variance / logs.length);
  const round = (value: number) => Math.round(Math.exp(value) * 10_000) / 10_000;
  return { ratio: round(mean), low: round(mean - margin), high: round(mean + margin) };
}
