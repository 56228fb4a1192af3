/** Work in steps of a few milliseconds. The caller may pause between them. */
export type Steps<Result> = Generator<void, Result>;

/** Does the work without a pause. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
