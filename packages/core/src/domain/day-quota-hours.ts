export const hourMs = 3_600_000;

/**
 * A day plus the current hour, so that the quota holds in every time zone in which the marketplace may
 * start its day.
 */
export const hoursCounted = 25;
