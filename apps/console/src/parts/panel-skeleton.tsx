/** Where lines of text will stand. */
export function PanelSkeleton() {
  return (
    <div className="panel skeleton" role="status" aria-label="Loading">
      <div className="bar" />
      <div className="bar short" />
    </div>
  );
}
