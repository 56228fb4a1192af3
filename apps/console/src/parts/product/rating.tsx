/** Stars as text for eyes, words for everybody else. */
export function Rating({ value, count }: { value: number; count?: number }) {
  const rounded = Math.round(value * 10) / 10;
  return (
    <span className="rating">
      <span aria-hidden="true">★ {rounded.toFixed(1)}</span>
      <span className="visually-hidden">Rated {rounded} out of 5</span>
      {count !== undefined && count > 0 && <span className="muted"> ({count})</span>}
    </span>
  );
}
