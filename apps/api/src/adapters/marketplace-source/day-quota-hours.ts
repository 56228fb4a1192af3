export const hourMs = 3_600_000;

/**
 * A day and the hour that is under way: so the quota holds in every time zone in which the marketplace may
 * begin its day.
 */
export const hoursCounted = 25;
